# shellcheck shell=bash disable=SC2034,SC2154
# install.sh: the archive of one release, checked.

download_dir=$cache_dir/engine/download-v$PULUMI_VERSION-$(platform)

# Prints the platform as the names of archives spell it, or nothing if this platform has no archive.
archive_platform() {
  case $(platform) in
    linux-x86_64) echo linux-x64 ;;
    linux-aarch64 | linux-arm64) echo linux-arm64 ;;
    darwin-x86_64) echo darwin-x64 ;;
    darwin-arm64) echo darwin-arm64 ;;
  esac
}

# Slow downloads continue: curl gives up only if it cannot connect, or if no data arrives for half a minute.
fetch=(curl -fsSL --connect-timeout 10 --speed-limit 1 --speed-time 30)

# Prints the expected digest of an archive. A list in this repository has priority over the release's list, which is only as
# trustworthy as its site. usage: published_digest ARCHIVE
published_digest() {
  local list=pulumi-$PULUMI_VERSION-checksums.txt
  if [ -f "$tools_dir/$list" ]; then
    list=$tools_dir/$list
  else
    "${fetch[@]}" -o "$work_dir/$list" "$download_site/v$PULUMI_VERSION/$list" 2>"$work_dir/curl.log" || return
    list=$work_dir/$list
  fi
  sed -n "s/^\([0-9a-f]\{64\}\)  *\**\(.*\/\)*$1\$/\1/p" "$list" | head -n 1
}

# Downloads and unpacks the archive into the work folder. If it cannot, it prints the reason.
fetch_archive() {
  local archive wanted found
  archive=pulumi-v$PULUMI_VERSION-$(archive_platform).tar.gz
  if ! wanted=$(published_digest "$archive"); then
    say "Pulumi's releases cannot be reached from here ($(reason_from "$work_dir/curl.log"))"
    return 1
  fi
  if [ -z "$wanted" ]; then
    say "the release's list of digests does not have $archive, so it is not downloaded"
    return 1
  fi
  say "[1/1] Pulumi CLI $PULUMI_VERSION: $archive (about 150 MB)…"
  if ! run_long "$archive" "$work_dir/curl.log" \
    "${fetch[@]}" -o "$work_dir/$archive" "$download_site/v$PULUMI_VERSION/$archive"; then
    return 1
  fi
  if ! found=$(sha256 <"$work_dir/$archive"); then
    say "neither sha256sum nor shasum is here, so $archive cannot be checked and is not used"
    return 1
  fi
  if [ "$found" != "$wanted" ]; then
    say "$archive is not what the release published: its SHA-256 is $found, and $wanted was expected. It is not used"
    return 1
  fi
  mkdir "$work_dir/bin"
  if ! tar -xzf "$work_dir/$archive" -C "$work_dir/bin" --strip-components=1 || [ ! -x "$work_dir/bin/pulumi" ]; then
    say "$archive does not contain the expected files"
    return 1
  fi
  rm -f "${work_dir:?}/$archive" "${work_dir:?}/curl.log" "${work_dir:?}"/*-checksums.txt
}

use_download() {
  local name
  if [ ! -d "$download_dir" ]; then
    if ! command -v curl >/dev/null || [ -z "$(archive_platform)" ]; then
      say "the Pulumi CLI cannot be downloaded: no curl, or no archive for $(platform)"
      return
    fi
    lock "$download_dir"
    if [ ! -d "$download_dir" ]; then
      start_work "$download_dir"
      if ! fetch_archive; then
        discard_work
        return
      fi
      for name in $host_names; do
        if [ ! -x "$work_dir/bin/pulumi-language-$name" ]; then
          printf '%s\tpulumi-language-%s is not part of the official CLI %s for this platform\n' \
            "$name" "$name" "$PULUMI_VERSION" >>"$work_dir/missing"
        fi
      done
      add_launcher
      echo "$PULUMI_VERSION" >"$work_dir/version"
      finish_work "$download_dir"
      remove_unused "$cache_dir/engine"
    fi
    unlock
  fi
  target=$download_dir
  source=download
}

discard_work() {
  rm -rf "${work_dir:?}"
  work_dir=
  unlock
}
