# shellcheck shell=bash disable=SC2034,SC2154
# install.sh: the archive of one release, checked.

download_dir=$cache_dir/engine/download-v$PULUMI_VERSION-$(platform)

# The name of this platform in the names of archives; nothing where there is no archive for it.
archive_platform() {
  case $(platform) in
    linux-x86_64) echo linux-x64 ;;
    linux-aarch64 | linux-arm64) echo linux-arm64 ;;
    darwin-x86_64) echo darwin-x64 ;;
    darwin-arm64) echo darwin-arm64 ;;
  esac
}

# A slow line is a line: it is given up only when no connection comes about, or when nothing arrives for half a minute.
fetch=(curl -fsSL --connect-timeout 10 --speed-limit 1 --speed-time 30)

# Prints the digest that an archive must have. A list that is committed here comes before the release's own, which is only as
# good as the site that it is fetched from. usage: published_digest ARCHIVE
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

# Fetches and unpacks the archive into the folder of work. Where it cannot, it says why.
fetch_archive() {
  local archive wanted found
  archive=pulumi-v$PULUMI_VERSION-$(archive_platform).tar.gz
  if ! wanted=$(published_digest "$archive"); then
    say "Pulumi's releases cannot be reached from here ($(reason_from "$work_dir/curl.log"))"
    return 1
  fi
  if [ -z "$wanted" ]; then
    say "the release's list of digests does not have $archive, so it is not fetched"
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
    say "$archive does not hold what is expected"
    return 1
  fi
  rm -f "${work_dir:?}/$archive" "${work_dir:?}/curl.log" "${work_dir:?}"/*-checksums.txt
}

use_download() {
  local name
  if [ ! -d "$download_dir" ] || [ -n "$rebuild" ]; then
    if ! command -v curl >/dev/null || [ -z "$(archive_platform)" ]; then
      say "the Pulumi CLI cannot be downloaded: no curl, or no archive for $(platform)"
      return 1
    fi
    lock "$download_dir"
    if [ ! -d "$download_dir" ] || [ -n "$rebuild" ]; then
      start_work "$download_dir"
      if ! fetch_archive; then
        discard_work
        return 1
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
