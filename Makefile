# The two commands of the README; everything else is `cargo xtask help`.

CARGO ?= cargo
TARGET := $(or $(CARGO_TARGET_DIR),target)
HELDUP := $(TARGET)/release/heldup

.PHONY: help build static examine test

help:
	@echo "make examine   build heldup and examine this machine for ten seconds"
	@echo "make test      every check and every test (as root also the real troubles)"
	@echo "make static    build heldup as one static file"

build:
	@scripts/install-needs.sh build
	$(CARGO) build --release --locked --package heldup

static:
	@scripts/install-needs.sh static
	@CARGO="$(CARGO)" CARGO_TARGET_DIR="$(abspath $(TARGET))" scripts/build-static.sh

# As root the examination is complete; without root the program lists what is not visible. sudo is
# used once, and only if it can ask for a password or needs none.
examine: build
	@if [ "$$(id -u)" -ne 0 ] && { [ -t 0 ] || sudo -n true; } 2>/dev/null && sudo -v; then \
		exec sudo $(abspath $(HELDUP)) examine; \
	else \
		exec $(abspath $(HELDUP)) examine; \
	fi

test:
	@CARGO="$(CARGO)" HELDUP_BIN="$(abspath $(HELDUP))" scripts/test.sh
