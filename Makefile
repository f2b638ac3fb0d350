# The two commands of the README; everything else is `cargo xtask help`.

CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
HELDUP := $(TARGET)/release/heldup
# Looking is complete as root; without it the program says what it could not see.
SUDO := $(shell if [ "$$(id -u)" -ne 0 ] && sudo -n true 2>/dev/null; then echo sudo; fi)

.PHONY: help build examine test

help:
	@echo "make examine   build heldup and examine this machine for ten seconds"
	@echo "make test      every check and every test (as root also the real troubles)"

build:
	@scripts/install-needs.sh build
	$(CARGO) build --release --locked --package heldup

examine: build
	@$(SUDO) $(HELDUP) examine

test:
	@CARGO="$(CARGO)" HELDUP_BIN="$(abspath $(HELDUP))" scripts/test.sh
