"""`python -m memtui`."""

from memtui.cli.main import run

if __name__ == "__main__":
    run()
