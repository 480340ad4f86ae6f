"""Every method, on every backbone that it supports."""

from skdegfair.mitigation import CFC, DSGCN, DegFair, FairGNN, FairVGNN, RawlsGCN, ReleasedDegFair, TailGNN

METHODS = [
    DegFair(),
    ReleasedDegFair(),
    FairGNN(),
    RawlsGCN(),
    RawlsGCN(form="gradient"),
    CFC(),
    CFC(fairness_hops=[1, 2]),
    FairVGNN(n_masks=2),
    TailGNN(degree_threshold=4),
    TailGNN(degree_threshold=4, translate="output"),
    DSGCN(),
    DSGCN(index="target", rank=2),
]
WITH_BACKBONES = [(method, backbone) for method in METHODS for backbone in method.backbones]
