"""Studies that are interrupted, shared, killed, and carried on; searches on many processes."""

import contextlib
import functools
import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import joblib
import numpy as np
import optuna
import pytest
import sklearn
import sqlalchemy
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from scipy.stats import uniform
from searched import CountedGraph, Known, truth
from sklearn.exceptions import FitFailedWarning
from sklearn.metrics import make_scorer
from sklearn.model_selection import KFold, StratifiedKFold, cross_validate

from skdegfair import Graph
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.exceptions import NoEffectWarning
from skdegfair.metrics import FairnessScoring, fairness_scoring
from skdegfair.tuning import ParetoSearchCV
from skdegfair.tuning._study import TaskStudy

HERE = Path(__file__).parent
EXAMPLE = HERE.parent / "examples" / "study_on_many_machines.py"
SPACE = {"wrong": uniform(0, 0.4), "ones": uniform(0.01, 0.5)}
CV = StratifiedKFold(2, shuffle=True, random_state=0)
PATIENCE = 1800  # seconds after which a test that hangs ends; none comes near it, also on a busy machine


@pytest.fixture(scope="module")
def graph():
    return make_degree_biased_graph(200, random_state=0).graph


@pytest.fixture
def storage(tmp_path):
    return f"sqlite:///{tmp_path}/study.db"


def search(storage=None, **options):
    name = None if storage is None else "study"
    options = {"n_trials": 20, "cv": CV, "random_state": 0, "storage": storage, "study_name": name} | options
    return ParetoSearchCV(Known(), SPACE, **options)


class StopsAfter(FairnessScoring):
    """Ctrl-C while a fold is scored, after a given number of folds."""

    left = 10**9

    def __call__(self, *args, **kwargs):
        StopsAfter.left -= 1
        if StopsAfter.left < 0:
            StopsAfter.left = 10**9
            raise KeyboardInterrupt
        return super().__call__(*args, **kwargs)


# carried on


@pytest.mark.parametrize("batch_size", [1, 4])
def test_interrupted_and_resumed(graph, storage, batch_size):
    y = truth(graph)
    StopsAfter.left = 21  # ten trials of two folds, and one fold of the eleventh
    stopped = search(storage, scoring=StopsAfter(), batch_size=batch_size)
    with pytest.raises(
        KeyboardInterrupt, match=f"10 of 20 trials are finished.*storage='{storage}', study_name='study'"
    ):
        stopped.fit(graph, y)
    assert not hasattr(stopped, "cv_results_")
    before = [trial for trial in stopped.study_.trials if trial.state.name == "COMPLETE"]
    assert len(before) == 10
    assert not any(trial.state.name == "RUNNING" for trial in stopped.study_.trials)

    resumed = search(storage, scoring=StopsAfter(), batch_size=batch_size).fit(graph, y)
    results = resumed.cv_results_
    assert len(results["trial"]) == len(set(results["trial"])) == 20
    assert len({tuple(params.values()) for params in results["params"]}) == 20
    assert [trial.params for trial in before] == results["params"][:10]
    complete = [trial for trial in resumed.study_.trials if trial.state.name == "COMPLETE"]
    assert len(complete) == 20
    place = 3  # what was read back from the storage is what was measured
    by_hand = cross_validate(Known(**results["params"][place]), graph, y, cv=CV, scoring=fairness_scoring)
    np.testing.assert_array_equal(by_hand["test_accuracy"], [results[f"split{k}_test_accuracy"][place] for k in (0, 1)])


def test_resumed_in_good_order_is_as_if_never_stopped(graph, storage):
    y = truth(graph)
    search(storage, n_trials=8).fit(graph, y)
    resumed, whole = search(storage).fit(graph, y), search().fit(graph, y)
    assert resumed.cv_results_["params"] == whole.cv_results_["params"]
    assert resumed.pareto_.equals(whole.pareto_)


def test_a_finished_study_costs_no_fit(graph, storage):
    y = truth(graph)
    first = search(storage).fit(graph, y)
    StopsAfter.left = 0
    again = search(storage, refit=False).fit(graph, y)
    assert again.pareto_.equals(first.pareto_)


def test_interrupted_at_once_still_begins_with_the_estimator_as_it_is(graph, storage):
    StopsAfter.left = 1
    with pytest.raises(KeyboardInterrupt, match="0 of 20"):
        search(storage, scoring=StopsAfter()).fit(graph, truth(graph))
    resumed = search(storage, scoring=StopsAfter()).fit(graph, truth(graph))
    assert resumed.cv_results_["params"][0] == {"wrong": 0.1, "ones": 0.1}
    assert len(resumed.cv_results_["trial"]) == 20


def test_resumed_with_a_sampler_that_has_a_seed(graph, storage):
    for n_trials in (4, 8):
        sampler = optuna.samplers.RandomSampler(seed=0)
        found = search(storage, sampler=sampler, random_state=None, n_trials=n_trials).fit(graph, truth(graph))
    assert len({params["wrong"] for params in found.cv_results_["params"]}) == 8


def test_failed_trials_are_tried_again_when_errors_are_raised(graph, storage):
    space = {"wrong": uniform(0, 0.4), "fails": [False, True]}
    failing = search(storage, n_trials=6).set_params(param_distributions=space)
    with pytest.warns(FitFailedWarning):
        failing.fit(graph, truth(graph))
    raising = sklearn.clone(failing).set_params(error_score="raise", n_trials=100)
    with pytest.raises(RuntimeError, match="this one fails"):
        raising.fit(graph, truth(graph))


def test_a_pickled_search_does_not_need_its_database(graph, storage):
    found = search(storage, n_trials=4).fit(graph, truth(graph))
    packed = pickle.dumps(found)
    Path(storage.removeprefix("sqlite:///")).unlink()
    np.testing.assert_array_equal(pickle.loads(packed).predict(graph), found.predict(graph))


def test_the_same_search_is_known_again(graph, storage):
    """Also with objects that print their address."""
    for n_trials in (2, 4):
        space = functools.partial(suggest, high=0.4)
        found = search(storage, n_trials=n_trials).set_params(param_distributions=space, estimator=Known())
        found.fit(graph, truth(graph))
    assert len(found.cv_results_["trial"]) == 4


def suggest(trial, high):
    return {"wrong": trial.suggest_float("wrong", 0, high)}


def test_a_wrong_objective_does_not_spoil_the_name(graph, storage):
    with pytest.raises(ValueError, match="no score 'f1'"):
        search(storage, objectives=("accuracy", "f1")).fit(graph, truth(graph))
    assert len(search(storage, n_trials=2).fit(graph, truth(graph)).pareto_)


def test_studies_that_minimize_are_refused(graph, storage):
    optuna.create_study(storage=storage, study_name="study", directions=["minimize"] * 2)
    with pytest.raises(ValueError, match="not made by a ParetoSearchCV"):
        search(storage).fit(graph, truth(graph))


def test_in_memory_the_message_says_what_to_do(graph):
    StopsAfter.left = 3
    stopped = search(scoring=StopsAfter(), batch_size=1)
    with pytest.raises(KeyboardInterrupt, match="pass a storage and a study_name"):
        stopped.fit(graph, truth(graph))
    assert len([trial for trial in stopped.study_.trials if trial.state.name == "COMPLETE"]) == 1


@pytest.mark.parametrize(
    ("options", "differing"),
    [
        ({"cv": 3}, "cv"),
        ({"cv": KFold(2, shuffle=True)}, "cv"),
        ({"min_accuracy": 0.5}, "min_accuracy"),
        ({"objectives": ("accuracy", "neg_delta_deo")}, "objectives"),
        ({"param_distributions": {"wrong": uniform(0, 0.3)}}, "param_distributions"),
        ({"estimator": Known(fails=True)}, "estimator"),
        ({"scoring": FairnessScoring(share=0.3)}, "scoring"),
    ],
)
def test_trials_of_different_searches_are_not_mixed(graph, storage, options, differing):
    search(storage, n_trials=2).fit(graph, truth(graph))
    with pytest.raises(ValueError, match=f"another search: {differing} differ"):
        search(storage, n_trials=4).set_params(**options).fit(graph, truth(graph))
    moved = Graph(graph.X + 1, graph.A)
    with pytest.raises(ValueError, match="another search: X differ"):
        search(storage, n_trials=4).fit(moved, truth(graph))
    other = truth(graph).copy()
    other[:10] = 1 - other[:10]
    with pytest.raises(ValueError, match="another search: y"):
        search(storage, n_trials=4).fit(graph, other)


def test_trials_of_other_studies_are_not_mixed(graph, storage):
    study = optuna.create_study(storage=storage, study_name="study", directions=["maximize"] * 2)
    study.optimize(lambda trial: (trial.suggest_float("wrong", 0, 1), 0.0), n_trials=1)
    with pytest.raises(ValueError, match="not made by a ParetoSearchCV"):
        search(storage).fit(graph, truth(graph))


# shared by workers


def start(storage, n_trials, waits_at):
    """A worker that waits at this fit, of which each trial has two."""
    return started([sys.executable, str(HERE / "searched.py"), storage, str(n_trials), str(waits_at)])


def started(command):
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True)


def start_two(storage, n_trials):
    """Two workers that are both at their first fit before either goes on."""
    workers = [start(storage, n_trials, waits_at=0) for _ in range(2)]
    said = [worker.stdout.readline() for worker in workers]
    assert said == ["waits\n"] * 2, [worker.communicate() for worker in workers]
    for worker in workers:
        worker.stdin.write("\n")
        worker.stdin.flush()
    return workers


def check_shared(workers, opened, n_trials):
    """Two workers with the same seed end with all trials, none of them twice."""
    ends = [worker.communicate(timeout=PATIENCE) for worker in workers]
    assert [worker.returncode for worker in workers] == [0, 0], ends
    trials = optuna.load_study(study_name="many machines", storage=opened).trials
    complete = [trial for trial in trials if trial.state.name == "COMPLETE"]
    assert n_trials <= len(complete) <= n_trials + 1  # the other one may have been at its last
    assert len({tuple(trial.params.values()) for trial in complete}) == len(complete)
    assert all("trials in the study" in out for out, _ in ends)


def test_two_workers_on_sqlite(storage):
    """With the example."""
    storage += f"?timeout={PATIENCE}"  # a locked database is waited for
    command = [sys.executable, str(EXAMPLE), "--quick", "--storage", storage, "--trials", "6"]
    check_shared([started(command) for _ in range(2)], storage, 6)


def test_two_workers_on_a_journal(tmp_path):
    path = str(tmp_path / "journal.log")
    check_shared(start_two(path, 20), JournalStorage(JournalFileBackend(path)), 20)


@pytest.fixture
def postgres():
    """A PostgreSQL server of our own, on a socket in a temporary folder with a short name."""
    pytest.importorskip("psycopg2")
    found = [shutil.which("pg_ctl"), *sorted(map(str, Path("/usr/lib/postgresql").glob("*/bin/pg_ctl")))]
    if not any(found):
        pytest.skip("there is no PostgreSQL server on this machine")
    as_user, folder = [], Path(tempfile.mkdtemp(prefix="postgres"))
    if os.geteuid() == 0:  # the server refuses to run as root
        if not shutil.which("runuser"):
            pytest.skip("PostgreSQL does not run as root, and there is no runuser")
        as_user = ["runuser", "-u", "postgres", "--"]
        shutil.chown(folder, "postgres")
    control = [
        *as_user,
        next(filter(None, found)),
        "-D",
        str(folder / "data"),
        "--silent",
        "--wait",
        "-t",
        str(PATIENCE),
    ]
    options = {
        "initdb": ["-o", "-U us --no-sync --no-locale --encoding UTF8"],
        "start": ["-o", f"-k {folder} -h ''", "-l", str(folder / "log")],
    }
    try:
        for command in ("initdb", "start"):
            subprocess.run([*control, *options[command], command], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        yield f"postgresql+psycopg2://us@/postgres?host={folder}"
        subprocess.run([*control, "--mode", "immediate", "stop"], check=True, cwd=folder)
    finally:
        shutil.rmtree(folder)


def test_two_workers_on_postgresql(postgres):
    check_shared(start_two(postgres, 20), postgres, 20)


def test_the_trial_of_a_killed_worker_is_tried_again(storage):
    killed = start(storage, 100, waits_at=4)
    assert killed.stdout.readline() == "waits\n"  # at its third trial
    killed.kill()
    killed.communicate()
    study = optuna.load_study(study_name="many machines", storage=storage)
    assert Counter(trial.state.name for trial in study.get_trials()) == {"COMPLETE": 2, "RUNNING": 1}
    done = start(storage, 4, waits_at=-1)
    out, err = done.communicate(timeout=PATIENCE)
    assert done.returncode == 0, err
    assert Counter(trial.state.name for trial in study.get_trials()) == {"COMPLETE": 4, "FAIL": 1}
    assert "4 trials in the study" in out


class KilledAt:
    """Counts SQL statements of a kind, or fits, and kills its process at one of them, as the operating system does."""

    def __init__(self, number, kind=None):
        self.left, self.kind = number, kind

    def __call__(self, connection=None, cursor=None, statement="", *args):
        if self.kind is None or statement.startswith(f"{self.kind} "):
            self.left -= 1
        if self.left < 0:
            os.kill(os.getpid(), signal.SIGKILL)


# In order. Each one leaves no setting with three attempts that were stopped; the first trial is stopped twice.
IN_SQL = [
    (1, "INSERT INTO trials"),
    (0, "INSERT INTO trial_user_attributes"),
    (1, "INSERT INTO trial_params"),
    (6, "UPDATE trials"),
    (1, "INSERT INTO trial_values"),
    (3, "INSERT INTO trials"),
    (2, "INSERT INTO trial_params"),
    (5, "INSERT INTO trial_user_attributes"),
]
IN_FITS = [(0,), (1,), (3,), (2,), (4,), (1,)]


class KnownAndCounted(Known):
    count = staticmethod(lambda: None)

    def fit(self, X, y):
        self.count()
        return super().fit(X, y)


def killed_in_a_process(act):
    """Run a function in a copy of this process; return whether it was killed."""
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            act()
            os._exit(0)
        os._exit(1)
    status = os.waitpid(child, 0)[1]
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize(("kind", "moments"), [("sqlite", IN_SQL), ("journal", IN_FITS)])
def test_killed_at_any_moment_nothing_is_lost(graph, tmp_path, kind, moments):
    """Whole trials, their settings and the first setting are those of a search that was never killed."""
    y = truth(graph)

    def fit(*moment):
        if kind == "sqlite":
            storage = f"sqlite:///{tmp_path}/study.db"
            if moment:
                sqlalchemy.event.listen(sqlalchemy.Engine, "before_cursor_execute", KilledAt(*moment))
        else:  # while a journal is written it is locked; the next worker waits 30 seconds then
            storage = JournalStorage(JournalFileBackend(str(tmp_path / "journal")))
            KnownAndCounted.count = KilledAt(*moment or (10**9,))
        found = search(storage, n_trials=10, batch_size=3, refit=False)
        return found.set_params(estimator=KnownAndCounted()).fit(graph, y)

    assert all(killed_in_a_process(lambda each=each: fit(*each)) for each in moments)
    found, whole = fit(), search(n_trials=10, batch_size=3, refit=False).fit(graph, y)
    assert len(found.study_.trials) > 10
    assert Counter(trial.state.name for trial in found.study_.trials)["COMPLETE"] == 10
    by_value = [sorted(map(str, each.cv_results_["params"])) for each in (found, whole)]
    assert by_value[0] == by_value[1]


def test_a_setting_that_never_finishes_is_given_up(graph):
    """The others of its batch are not."""
    storage = optuna.storages.InMemoryStorage()
    options = {"scoring": StopsAfter(), "n_trials": 3, "batch_size": 3}
    for _ in range(3):
        StopsAfter.left = 0
        with pytest.raises(KeyboardInterrupt):
            search(storage, **options).fit(graph, truth(graph))
    with pytest.warns(UserWarning, match="Trial 4 did not finish in 3 attempts and is not tried again") as caught:
        found = search(storage, **options).fit(graph, truth(graph))
    assert {Path(each.filename).name for each in caught} == {Path(__file__).name}
    whole = search(n_trials=4).fit(graph, truth(graph))
    assert found.cv_results_["params"] == whole.cv_results_["params"][1:]


# one study, one search


class Meanwhile(optuna.storages.InMemoryStorage):
    """Lets another worker act just before, or just after, a trial is created."""

    act, moment = None, "before"

    def create_new_trial(self, *args, **kwargs):
        act, self.act = self.act, None
        if act and self.moment == "before":
            act()
        number = super().create_new_trial(*args, **kwargs)
        if act and self.moment == "after":
            act()
        return number


def opened(storage, data="these"):
    task = {"objectives": ["accuracy"], "min_accuracy": None, "X": data}
    return TaskStudy(storage, "study", optuna.samplers.RandomSampler(), task)


def record(study, trial):
    study.record(trial, [{"scores": {"accuracy": 0.5}}], {"accuracy": "objectives"})


@pytest.mark.parametrize("moment", ["before", "after"])
def test_searches_that_start_together_on_one_name(moment):
    """The one that creates the first trial has the study, wherever the other one is at this moment."""
    storage, began, refused = Meanwhile(), [], []
    storage.moment = moment

    def ask(study):
        try:
            began.extend((study, trial) for trial in study.ask(2))
        except ValueError as error:
            refused.append(str(error))

    one, other = opened(storage, "these"), opened(storage, "those")
    storage.act = lambda: ask(other)
    ask(one)
    owner = other if moment == "before" else one
    assert [study for study, _ in began] == [owner] * 2
    assert len(refused) == 1
    assert "'study' belongs to another search: X differ" in refused[0]
    for study, trial in began:
        record(study, trial)
    assert [len(study.judged()) for study in (owner, one if owner is other else other)] == [2, 0]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_worker_that_is_alive_keeps_its_trials(moment):
    storage = Meanwhile()
    storage.moment = moment
    one, other = opened(storage), opened(storage)
    storage.act = lambda: record(other, *other.ask(1))
    record(one, *one.ask(1))
    assert len(one.judged()) == len(other.judged()) == 2


def taken_for_dead(storage):
    """A worker of another machine with the same name, and a trial of it that is running."""
    worker = opened(storage)
    worker.claim = replace(worker.claim, pid=4_000_001, start="77")
    return worker, *worker.ask(1)


def test_a_worker_that_was_taken_for_dead_continues():
    storage = optuna.storages.InMemoryStorage()
    worker, trial = taken_for_dead(storage)
    record(opened(storage), *opened(storage).ask(1))  # repeats it
    record(worker, trial)
    record(worker, *worker.ask(1))
    assert [trial.state.name for trial in worker.study.trials] == ["FAIL", "COMPLETE", "COMPLETE"]
    assert len(worker.judged()) == 2


def test_two_workers_that_repeat_the_same_trial():
    """It counts once."""
    storage = Meanwhile()
    taken_for_dead(storage)
    one, other = opened(storage), opened(storage)
    storage.act = lambda: record(other, *other.ask(1))
    record(one, *one.ask(1))
    assert [trial.state.name for trial in one.study.trials] == ["FAIL", "COMPLETE", "COMPLETE"]
    assert [trial.number for trial in one.judged()] == [1]


class Other(Known):
    """Has the parameters of Known."""


def scorer_of(weight):
    return lambda estimator, X, y: weight * estimator.wrong


@pytest.mark.parametrize(
    ("one", "other", "differing"),
    [
        ({}, {"estimator": Other()}, "estimator"),
        ({"scoring": scorer_of(1)}, {"scoring": scorer_of(2)}, "scoring"),
        (
            {"scoring": lambda *args: fairness_scoring(*args)["accuracy"]},
            {"scoring": lambda *args: fairness_scoring(*args)["neg_delta_dsp"]},
            "scoring",
        ),
        (
            {"scoring": make_scorer(lambda true, predicted: 0.5)},
            {"scoring": make_scorer(lambda true, predicted: 0.6)},
            "scoring",
        ),
        (
            {"param_distributions": lambda trial: {"wrong": trial.suggest_float("wrong", 0, 0.1)}},
            {"param_distributions": lambda trial: {"wrong": trial.suggest_float("wrong", 0, 0.2)}},
            "param_distributions",
        ),
        (
            {"estimator": Known(ones=np.zeros(2000))},  # repr elides what differs
            {"estimator": Known(ones=np.eye(1, 2000, 1000)[0])},
            "estimator",
        ),
        ({"estimator": Known(ones=[scorer_of(1)])}, {"estimator": Known(ones=[scorer_of(2)])}, "estimator"),
    ],
)
def test_objects_of_equal_names_are_not_mixed(graph, storage, one, other, differing):
    one, other = ({"param_distributions": {"ones": [0.1]}} | each for each in (one, other))
    for options in (one, one):  # the same again is the same
        search(storage, n_trials=1, refit=False).set_params(**options).fit(graph, truth(graph))
    with pytest.raises(ValueError, match=f"another search: {differing} differ"):
        search(storage, n_trials=2, refit=False).set_params(**other).fit(graph, truth(graph))


HASHES = """
from sklearn.metrics import make_scorer, matthews_corrcoef
from skdegfair.tuning._task import code_hash
nested = lambda name: name in {"one", "two", "three"} or name in (frozenset({"four", "five", "six"}), "seven")
print(code_hash(make_scorer(matthews_corrcoef)), code_hash(nested), code_hash([frozenset({"one", "two", "three"})]))
"""


def test_functions_are_known_again_in_another_process():
    """The order of the sets in them depends on the process."""
    command = [sys.executable, "-c", HASHES]
    hashes = {
        subprocess.check_output(command, env=os.environ | {"PYTHONHASHSEED": seed}, text=True) for seed in ("1", "2")
    }
    assert len(hashes) == 1
    assert "None" not in hashes.pop()


def documented(text):
    def score(estimator, X, y):
        log.append(estimator)
        return 0.5

    log, score.__doc__ = [], text
    score.__code__ = score.__code__.replace(co_consts=(text, *score.__code__.co_consts[1:]))
    return score


def test_what_a_function_logs_and_its_docstring_do_not_matter(graph, storage):
    one, other = documented("One."), documented("Other.")
    for n_trials, scoring in enumerate((one, one, other), start=1):
        found = search(storage, n_trials=n_trials, scoring=scoring, min_accuracy=None).fit(graph, truth(graph))
    assert len(found.cv_results_["trial"]) == 3


def test_studies_of_the_version_before_are_continued(graph, storage):
    """Its trials have no claims, and its description has no classes and no code."""
    old = search(storage, n_trials=3).fit(graph, truth(graph)).study_
    [task] = (value for key, value in old.user_attrs.items() if key.startswith("skdegfair:task"))
    study = optuna.create_study(storage=storage, study_name="before", directions=["maximize"] * 2)
    study.set_user_attr("skdegfair:task", {key: value for key, value in task.items() if "(" not in key})
    for trial in old.trials:
        folds = {"skdegfair:folds": trial.user_attrs["skdegfair:folds"]}
        study.add_trial(
            optuna.create_trial(
                params=trial.params, distributions=trial.distributions, values=trial.values, user_attrs=folds
            )
        )
    found = search(storage, study_name="before", n_trials=5).fit(graph, truth(graph))
    assert found.cv_results_["params"][:3] == [trial.params for trial in old.trials]
    assert len({tuple(params.values()) for params in found.cv_results_["params"]}) == 5
    with pytest.raises(ValueError, match="another search: cv differ"):
        search(storage, study_name="before", cv=3).fit(graph, truth(graph))


def test_fewer_trials_than_there_are(graph, storage):
    search(storage, n_trials=3).fit(graph, truth(graph))
    with pytest.warns(NoEffectWarning, match="n_trials=2 has no effect: study 'study' already has 3 trials"):
        found = search(storage, n_trials=2).fit(graph, truth(graph))
    assert len(found.cv_results_["trial"]) == 3


def test_more_trials_than_wanted_because_of_other_workers(graph):
    """A worker may add a batch more, which is no reason to warn when the search is started again."""

    class Joins(FairnessScoring):
        """The other worker does the whole search while the first fold of this one is scored."""

        joins = True

        def __call__(self, *args, **kwargs):
            if Joins.joins:
                Joins.joins = False
                search(storage, n_trials=3, scoring=Joins()).fit(graph, truth(graph))
            return super().__call__(*args, **kwargs)

    storage = optuna.storages.InMemoryStorage()
    for _ in range(2):
        found = search(storage, n_trials=3, scoring=Joins()).fit(graph, truth(graph))
        assert len(found.cv_results_["trial"]) == 6


def test_an_interrupted_fit_leaves_the_results_of_an_earlier_one(graph):
    found = search(scoring=StopsAfter(), n_trials=2).fit(graph, truth(graph))
    before = found.predict(graph)
    StopsAfter.left = 1
    with pytest.raises(KeyboardInterrupt):
        found.fit(graph, truth(graph))
    assert len(found.cv_results_["trial"]) == 2
    np.testing.assert_array_equal(found.predict(graph), before)


def test_a_grid_ends_the_search(graph, storage):
    sampler = optuna.samplers.GridSampler({"wrong": [0.1, 0.2], "ones": [0.1, 0.3]})
    found = search(storage, sampler=sampler, random_state=None, batch_size=1).fit(graph, truth(graph))
    assert len({tuple(params.values()) for params in found.cv_results_["params"]}) == 4


# Ctrl-C

SCRIPT = """
import os
import signal
import sys
from skdegfair import DegFairGNNClassifier
from skdegfair.datasets import make_degree_biased_graph
from skdegfair.tuning import ParetoSearchCV
from skorch.callbacks import Callback

class Interrupt(Callback):
    def on_epoch_end(self, net, **kwargs):
        print("epoch", flush=True)
        if len(net.history) == 3:
            os.killpg(os.getpgrp(), signal.SIGINT)  # Ctrl-C goes to all processes of a terminal

if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored where the tests run in the background
    data = make_degree_biased_graph(300, random_state=0)
    clf = DegFairGNNClassifier(max_epochs=10**6, random_state=0, callbacks=[Interrupt()])
    space = {"fairness_weight": [0.5, 1.0]}
    search = ParetoSearchCV(clf, space, cv=2, n_jobs=int(sys.argv[2]), storage=sys.argv[1], study_name="s")
    search.fit(data.graph, data.y)
"""


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_stops_within_an_epoch(tmp_path, storage, n_jobs):
    """A fit would take hours: that the search ends at all is the test."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    running = subprocess.Popen(
        [sys.executable, script, storage, str(n_jobs)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        out, err = running.communicate(timeout=PATIENCE)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running.pid, signal.SIGKILL)
    assert running.returncode != 0
    if n_jobs == 1:
        assert out == "epoch\n" * 3
    assert "KeyboardInterrupt: The search was stopped; 0 of 40 trials are finished" in err
    assert "study_name='s' to continue" in err
    study = optuna.load_study(study_name="s", storage=storage)
    assert {trial.state.name for trial in study.trials} == {"FAIL"}


# the graph goes to processes once


@pytest.fixture
def counted(tmp_path, monkeypatch):
    """A graph with 5 MB of features, its classes, and a function that returns what was noted when it was unpacked."""
    notes = tmp_path / "notes"
    notes.touch()
    monkeypatch.setattr(CountedGraph, "notes", str(notes))
    monkeypatch.setenv("PYTHONPATH", str(HERE), prepend=os.pathsep)
    data = make_degree_biased_graph(2_000, random_state=0)
    graph = CountedGraph(np.random.RandomState(0).normal(size=(2_000, 300)), data.A)
    return graph, data.y, lambda: [json.loads(line) for line in notes.read_text().splitlines()]


def scores_by(way, graph, y, **options):
    """Scores of a search, or of scikit-learn's cross_validate."""
    if way == "search":
        found = ParetoSearchCV(Known(), SPACE, n_trials=8, cv=2, refit=False, random_state=0, **options)
        return found.fit(graph, y).cv_results_["mean_test_accuracy"]
    return cross_validate(Known(), graph, y, cv=4, **options)["test_score"]


@pytest.mark.parametrize("way", ["search", "cross_validate"])
def test_processes_read_features_and_edges_from_one_file_each(counted, way):
    graph, y, notes = counted
    options = {"max_nbytes": "10K"} if way == "cross_validate" else {}  # README says so
    with joblib.parallel_config(**options):
        elsewhere = scores_by(way, graph, y, n_jobs=2)
    processes, *files = map(set, zip(*notes(), strict=True))
    assert os.getpid() not in processes
    for file in files:
        assert len(file) == 1
        assert file != {None}
    np.testing.assert_array_equal(elsewhere, scores_by(way, graph, y))


# Time limits that a busy machine keeps. Every two seconds Dask's memory manager drops copies that no task waits for,
# and sends them again when one does: it is off, so that the number of copies does not depend on time.
PATIENT = {
    "distributed.comm.timeouts.connect": f"{PATIENCE}s",
    "distributed.comm.timeouts.tcp": f"{PATIENCE}s",
    "distributed.deploy.lost-worker-timeout": f"{PATIENCE}s",
    "distributed.scheduler.worker-ttl": None,
    "distributed.scheduler.active-memory-manager.start": False,
}


@pytest.mark.parametrize("way", ["search", "cross_validate"])
def test_dask_has_one_copy_per_worker(counted, tmp_path, way):
    distributed = pytest.importorskip("distributed")
    import dask

    graph, y, notes = counted
    options = {
        "n_workers": 2,
        "threads_per_worker": 1,
        "dashboard_address": ":0",  # any free port, also where other clusters run
        "silence_logs": 50,
        "memory_limit": 0,
        "local_directory": str(tmp_path),
    }
    with (
        dask.config.set(PATIENT),
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster, timeout=PATIENCE) as client,
        joblib.parallel_config("dask", wait_for_workers_timeout=PATIENCE),
    ):
        client.wait_for_workers(2, timeout=PATIENCE)
        on_dask = scores_by(way, graph, y)
    counts = Counter(note[0] for note in notes())
    assert 1 <= len(counts) <= 2  # a worker may be done before the other one begins
    assert set(counts.values()) == {1}
    np.testing.assert_array_equal(on_dask, scores_by(way, graph, y))
