"""Bad and clumsy inputs as tables: what is done, and what the user is told. ``test_mistakes.py`` runs them all.

Each module of this package has a list ``MISTAKES``.
"""
