#!/bin/sh
# Puts the command `perimeter`, one file without Node.js, into a folder, and checks its checksum: sh install.sh [FOLDER [VERSION]].
# Needs curl, tar, gzip, grep and sha256sum or shasum, which the images of Pulumi, GitHub's runners and Azure's agents have.
set -eu
folder=${1:-.} version=${2:-0.1.0}
# A tag begins with v, a version does not.
version=${version#v}
system=$(uname -s) processor=$(uname -m)
case $system in
  Linux | Darwin) system=$(printf %s "$system" | tr LD ld) ;;
  *)
    echo "error: there is no archive of perimeter for $system that this script can unpack: take the file of the release" >&2
    exit 1
    ;;
esac
case $processor in
  x86_64 | amd64) processor=amd64 ;;
  aarch64 | arm64) processor=arm64 ;;
  *)
    echo "error: there is no perimeter for the processor $processor" >&2
    exit 1
    ;;
esac
release=${PERIMETER_RELEASES:-https://github.com/pulumi-perimeter/pulumi-perimeter/releases/download}/v$version
archive=perimeter-v$version-$system-$processor.tar.gz
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for file in "$archive" SHA256SUMS; do
  if ! curl --silent --show-error --fail --location --output "$work/$file" "$release/$file"; then
    echo "error: $release/$file cannot be downloaded" >&2
    exit 1
  fi
done
check=sha256sum
if ! command -v sha256sum >/dev/null; then check="shasum -a 256"; fi
if ! (cd "$work" && grep " [ *]\{0,1\}$archive\$" SHA256SUMS >sum && $check -c sum >/dev/null); then
  echo "error: $archive does not have the checksum of SHA256SUMS" >&2
  exit 1
fi
mkdir -p "$folder"
tar -xzf "$work/$archive" -C "$folder" perimeter
