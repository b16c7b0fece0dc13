"""`python -m yinju` is `yinju`."""

from yinju.cli import main

if __name__ == "__main__":
    main()
