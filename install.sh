#!/bin/sh
# Installs Stillup, or brings it up to date. `./install.sh --help` explains; docs/install.md says more.
set -eu

explain() {
  cat <<'TEXT'
Installs Stillup, or brings an installed one up to date.

  --user          for you alone, below ~/.local (the default, unless you are root)
  --system        for this machine, below /usr/local (the default for root)
  --prefix DIR    instead of ~/.local or /usr/local; PREFIX=DIR says the same
  --no-service    install no service, and start nothing
  --downgrade     install a release that is older than the installed one
  --uninstall     remove the program and its service; data and settings stay
  --help          print this

STILLUP_RELEASE_URL  where the files of a release are: https://…, or a folder. Without it the
                     release next to this script is taken, or the checkout it is part of.
STILLUP_RELEASE_KEY  the public key that has signed the release, or a file with it. The key of the
                     first signed release is kept, and later ones must be signed with it.
TEXT
}

main() {
  scope='' action=install service=yes downgrade=no prefix=${PREFIX:-}
  read_options "$@"
  choose_places
  if [ "$action" = uninstall ]; then uninstall; else install; fi
}

read_options() {
  while [ $# -gt 0 ]; do
    case $1 in
      --user | --system) scope=${1#--} ;;
      --prefix) [ $# -ge 2 ] || wrong "--prefix needs a folder."; prefix=$2; shift ;;
      --no-service) service=no ;;
      --downgrade) downgrade=yes ;;
      --uninstall) action=uninstall ;;
      --help | -h) explain; exit 0 ;;
      *) wrong "There is no option \"$1\"; --help lists them." ;;
    esac
    shift
  done
}

# With STILLUP_ROOT all of a --system lands below that folder, and no user is made: for trials.
choose_places() {
  root=${STILLUP_ROOT:-}
  [ -n "$scope" ] || scope=$(if [ "$(id -u)" = 0 ]; then echo system; else echo user; fi)
  if [ "$scope" = system ]; then
    [ -n "$root" ] || [ "$(id -u)" = 0 ] || refuse "--system needs root; run it with sudo, or install with --user."
    [ "$(uname -s)" = Linux ] || refuse "--system is for Linux; install with --user here."
    prefix=$root${prefix:-/usr/local}
    settings_dir=$root/etc/stillup data=$root/var/lib/stillup
    unit=$root/etc/systemd/system/stillup.service
  else
    prefix=${prefix:-$HOME/.local} config=${XDG_CONFIG_HOME:-$HOME/.config}
    settings_dir=$config/stillup data=${XDG_DATA_HOME:-$HOME/.local/share}/stillup
    unit=$config/systemd/user/stillup.service
  fi
  refuse_odd_path "$prefix$settings_dir$data"
  lib=$prefix/lib/stillup program=$prefix/lib/stillup/stillup command=$prefix/bin/stillup
  unfinished=$lib/unfinished
  settings=$settings_dir/env known_key=$settings_dir/release.pub
  data=$(setting STILLUP_DATA_DIR "$data")
  refuse_odd_path "$data"
  choose_database
}

# The folder of a database that is not among the data; empty for all others.
choose_database() {
  database_folder=
  database=$(setting STILLUP_DATABASE_URL "$(setting DATABASE_URL '')")
  case $database in
    sqlite:"$data"/*) ;;
    sqlite:/*)
      database_folder=$(dirname "${database#sqlite:}")
      refuse_odd_path "$database_folder"
      ;;
  esac
}

# These paths are written into a unit, a script and a file of settings, each with its own quoting.
refuse_odd_path() {
  case $1 in
    *[\'\"\\\$\`%]* | *"
"*) refuse "Choose folders without quotes, dollars, percent signs, backslashes and line breaks in their names." ;;
  esac
  case $1 in /*) ;; *) refuse "Name the folder from the root on: /…, not $1." ;; esac
}

install() {
  umask 022
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  trap 'exit 1' HUP INT TERM
  obtain "$work"
  chmod 755 "$work/stillup"
  version=$("$work/stillup" version) || refuse "The program does not run here; nothing was changed. If $work may run no programs, TMPDIR names another folder."
  [ "$downgrade" = yes ] || refuse_older
  changed=no
  [ ! -f "$unfinished" ] || changed=yes
  if [ -f "$program" ]; then upgrade; else install_first; fi
  rm -f "$unfinished"
  [ "$changed" = yes ] || say "$version is up to date in $program."
}

# Someone who can replace the files of a release could otherwise bring back an old one with a known flaw, signature
# and all. After a run that was cut off, the previous version is the one that ran.
refuse_older() {
  current=$program
  if is_half_upgraded; then current=$program.previous; fi
  [ -f "$current" ] || return 0
  installed=$("$current" version 2>/dev/null) || return 0
  if is_older "${version##* }" "${installed##* }"; then
    refuse "$version is older than $installed, which is installed; nothing was changed. An older version may not know the database: docs/upgrade.md says how to go back. To install it all the same, use --downgrade."
  fi
}

# is_older ONE OTHER: by major, minor and patch as numbers; a pre-release such as 1.2.0-rc.1 is older than 1.2.0.
is_older() {
  printf '%s\n%s\n' "$1" "$2" | awk '
    { sub(/\+.*/, ""); pre = ""; if (match($0, /-/)) { pre = substr($0, RSTART + 1); $0 = substr($0, 1, RSTART - 1) }
      split($0, part, "."); for (i = 1; i <= 3; i++) number[NR, i] = part[i] + 0; before[NR] = pre }
    END {
      for (i = 1; i <= 3; i++) if (number[1, i] != number[2, i]) exit !(number[1, i] < number[2, i])
      if (before[1] == before[2] || before[1] == "") exit 1
      if (before[2] == "") exit 0
      many = split(before[1], one, "."); split(before[2], other, ".")
      for (i = 1; i <= many; i++) if (one[i] != other[i]) {
        if (one[i] ~ /^[0-9]+$/ && other[i] ~ /^[0-9]+$/) exit !(one[i] + 0 < other[i] + 0)
        exit !(other[i] != "" && one[i] "" < other[i] "")
      }
      exit 0
    }'
}

install_first() {
  make_user
  put_files
  swap_program
  say "$version is installed: $command"
  case :$PATH: in *":$prefix/bin:"*) ;; *) say "Your PATH does not name $prefix/bin. Add it: export PATH=\"$prefix/bin:\$PATH\"" ;; esac
  say "Settings: $settings. Data: $data."
  if ! start_service; then
    say "Start it with: $(shown_command) serve"
    say "It prints a link; open that to set it up."
    return
  fi
  see_it_run
}

see_it_run() {
  wait_until_well || refuse "It does not become healthy; look at: $(shown_log)"
  say "It runs as the service \"stillup\"."
  say_how_to_set_up
}

# There is a token until the set-up is done; the journal has the whole link.
say_how_to_set_up() {
  [ -f "$data/setup-token" ] || return 0
  link=$(show_log -o cat 2>/dev/null | sed -n 's/.*set up at \(http[^" ]*\).*/\1/p' | tail -n 1)
  if [ -n "$link" ]; then
    say "Open this to set it up: $link"
  else
    say "Its set-up link: $(shown_log) -o cat | grep 'set up at' | tail -n 1"
  fi
}

# A new program that does not become healthy makes place for the previous one, also when an earlier run swapped them
# and was cut off before it saw that.
upgrade() {
  if cmp -s "$work/stillup" "$program" && ! is_half_upgraded; then
    put_files
    [ "$changed" = yes ] || return 0
    say "$version stays; what is around it is brought up to date."
    ! start_service || see_it_run
    return 0
  fi
  if ! is_half_upgraded; then put "$program" "$program.previous" 755; fi
  before=$("$program.previous" version 2>/dev/null) || before="the previous version"
  put_files
  swap_program
  start_service || { say "$version is installed in place of $before. Restart it where it runs."; return 0; }
  if wait_until_well; then
    say "$version is installed in place of $before, and runs."
    return 0
  fi
  roll_back
}

is_half_upgraded() { [ -f "$unfinished" ] && [ -f "$program.previous" ]; }

roll_back() {
  mv -f "$program.previous" "$program"
  start_service
  copy=$(copy_before)
  rm -f "$unfinished"
  if wait_until_well; then
    refuse "$version did not become healthy, so that $before is back and runs; look at: $(shown_log)"
  fi
  refuse "$version did not become healthy, and neither does $before, which is back; look at: $(shown_log)${copy:+
If it does not know the database any more, stop the service and run: $(shown_command) restore \"$copy\"}"
}

# --- where the program comes from ---

# Puts a verified program into the folder, or ends.
obtain() {
  here=$(script_folder)
  if [ -n "${STILLUP_RELEASE_URL:-}" ]; then
    from_release "$STILLUP_RELEASE_URL" "$1"
  elif [ -n "$here" ] && [ -f "$here/SHA256SUMS" ]; then
    from_release "$here" "$1"
  elif [ -n "$here" ] && [ -f "$here/.ci/build.ts" ]; then
    from_checkout "$here" "$1"
  else
    refuse "Set STILLUP_RELEASE_URL to where the files of a release are, or run install.sh from a checkout."
  fi
}

# Empty when the script comes through a pipe: the current folder is not a release then.
script_folder() {
  case $0 in
    *install.sh) (CDPATH='' cd -- "$(dirname -- "$0")" && pwd) ;;
  esac
}

from_checkout() {
  [ -z "${STILLUP_RELEASE_KEY:-}" ] || refuse "A build of a checkout is not signed. Unset STILLUP_RELEASE_KEY to install it."
  if ! is_built "$1"; then
    for tool in node npm; do
      command -v "$tool" >/dev/null || refuse "Install Node.js 20.19 or newer first: $tool is missing."
    done
    built=yes
    (cd "$1" && npm ci --no-audit --no-fund && npm run build) >&2 || built=no
    if [ "$(id -u)" = 0 ]; then hand_over "$1"; fi
    [ "$built" = yes ] || refuse "The build failed; nothing was changed."
  fi
  cp "$1/dist/stillup" "$2/stillup"
}

# The owner of the checkout can build in it after root has. A file system without owners refuses, and does not need it.
hand_over() {
  owner=$(stat -c %u:%g "$1" 2>/dev/null || stat -f %u:%g "$1")
  for each in node_modules dist web/dist package-lock.json; do
    [ ! -e "$1/$each" ] || chown -R -h "$owner" "$1/$each" 2>/dev/null || true
  done
}

is_built() {
  [ -x "$1/dist/stillup" ] || return 1
  [ -z "$(cd "$1" && find server drizzle web/src web/index.html .ci/build.ts package.json package-lock.json -newer dist/stillup -type f)" ]
}

from_release() {
  from=${1%/}
  case $from/ in
    https://* | /*) ;;
    file:///*) from=${from#file://} ;;
    http://*@*) refuse_source ;;
    http://127.0.0.1[:/]* | http://localhost[:/]* | http://\[::1\][:/]*) ;;
    *) refuse_source ;;
  esac
  name=stillup-$(platform)
  fetch SHA256SUMS "$2" || refuse "There is no SHA256SUMS at $from; nothing was changed."
  check_signature "$2"
  wanted=$(awk -v name="$name" '$2 == name || $2 == "*" name { print $1 }' "$2/SHA256SUMS")
  [ -n "$wanted" ] || refuse "This release has no $name, the file for this machine; nothing was changed."
  fetch "$name" "$2" || refuse "$from/$name cannot be read; nothing was changed."
  [ "$(sha256 "$2/$name")" = "$wanted" ] || refuse "$name is not what SHA256SUMS says it is; nothing was changed. Try again, and if that does not help, report it to the publisher of the release."
  mv "$2/$name" "$2/stillup"
}

# What comes from elsewhere without TLS is anybody's.
refuse_source() {
  refuse "STILLUP_RELEASE_URL must be https://…, file:///… or a folder from the root on; it is \"$from\"."
}

# linux-x64, linux-arm64-musl, darwin-arm64 …
platform() {
  case $(uname -s) in
    Linux) os=linux ;;
    Darwin) os=darwin ;;
    *) refuse "This installs on Linux and macOS. For Windows take stillup-windows-x64.exe from the release." ;;
  esac
  case $(uname -m) in
    x86_64 | amd64) arch=x64 ;;
    aarch64 | arm64) arch=arm64 ;;
    *) refuse "There is no Stillup for processors of the kind $(uname -m)." ;;
  esac
  # A shell that is translated by Rosetta calls an Apple processor x86_64.
  if [ $os = darwin ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then arch=arm64; fi
  echo "$os-$arch$(if [ $os = linux ] && is_musl; then echo -musl; fi)"
}

is_musl() {
  if command -v ldd >/dev/null; then
    ldd --version 2>&1 | grep -qi musl
  else
    ls /lib/ld-musl-* >/dev/null 2>&1
  fi
}

fetch() {
  case $from in
    /*) [ -f "$from/$1" ] && cp "$from/$1" "$2/$1" ;;
    *)
      if command -v curl >/dev/null; then
        curl -fsSL --proto '=https,http' --proto-redir '=https' --retry 3 -o "$2/$1" "$from/$1"
      elif command -v wget >/dev/null; then
        wget -q -O "$2/$1" "$from/$1"
      else
        refuse "Install curl or wget first."
      fi
      ;;
  esac
}

sha256() {
  if command -v sha256sum >/dev/null; then
    sha256sum <"$1" | awk '{ print $1 }'
  elif command -v shasum >/dev/null; then
    shasum -a 256 <"$1" | awk '{ print $1 }'
  elif command -v openssl >/dev/null; then
    openssl dgst -sha256 -r <"$1" | awk '{ print $1 }'
  else
    refuse "Install sha256sum, shasum or openssl first: without one the program cannot be verified."
  fi
}

# The key that was given counts, else the one that is known, else that of the release, which is kept.
check_signature() {
  key="$1/release.pub"
  if [ -n "${STILLUP_RELEASE_KEY:-}" ]; then
    if [ -f "$STILLUP_RELEASE_KEY" ]; then cat "$STILLUP_RELEASE_KEY"; else echo "$STILLUP_RELEASE_KEY"; fi >"$key"
  elif [ -f "$known_key" ]; then
    cp "$known_key" "$key"
  elif ! fetch release.pub "$1" 2>/dev/null; then
    # wget leaves an empty file of what is not there.
    rm -f "$key"
    return 0
  fi
  command -v ssh-keygen >/dev/null || refuse "Install ssh-keygen (openssh) first: without it the signature cannot be verified."
  fetch SHA256SUMS.sig "$1" || refuse "The release is not signed, and it should be; nothing was changed."
  echo "stillup namespaces=\"stillup-release\" $(cat "$key")" >"$1/signers"
  ssh-keygen -Y verify -f "$1/signers" -I stillup -n stillup-release -s "$1/SHA256SUMS.sig" <"$1/SHA256SUMS" >/dev/null 2>&1 ||
    refuse "The release is not signed with the key that is known; nothing was changed. Set STILLUP_RELEASE_KEY to use a new key."
}

# --- what is put where ---

put_files() {
  mkdir -p "$lib" "$prefix/bin" "$settings_dir"
  own_folder "$data"
  close_folder "$data"
  [ -z "$database_folder" ] || own_folder "$database_folder"
  [ -f "$settings" ] || write_settings
  if [ -f "$work/release.pub" ]; then put "$work/release.pub" "$known_key" 644; fi
  write_command >"$work/command"
  put "$work/command" "$command" 755
  if has_service; then
    mkdir -p "$(dirname "$unit")"
    "write_${scope}_unit" >"$work/unit"
    put "$work/unit" "$unit" 644
  fi
}

# put FROM TO MODE: writes a temporary file and renames it, so that no one sees half of it.
put() {
  if cmp -s "$1" "$2"; then return 0; fi
  changed=yes
  if ! cp "$1" "$2.new"; then
    rm -f "$2.new"
    refuse "$2 cannot be written; is the disk full?"
  fi
  chmod "$3" "$2.new"
  mv -f "$2.new" "$2"
}

# The mark stays until the program was seen to run, so that a run that was cut off is gone on with by the next one.
swap_program() {
  [ -f "$unfinished" ] || : >"$unfinished"
  put "$work/stillup" "$program" 755
}

# A fixed user rather than one that systemd makes up: commands work on the data while the service stands.
make_user() {
  [ "$scope" = system ] && [ -z "$root" ] || return 0
  setpriv --help 2>/dev/null | grep -q -- --init-groups || refuse "Install setpriv (util-linux) first."
  id stillup >/dev/null 2>&1 && return 0
  if command -v useradd >/dev/null; then
    useradd --system --user-group --home-dir "$data" --no-create-home --shell /usr/sbin/nologin stillup
  else
    addgroup -S stillup && adduser -S -D -H -h "$data" -s /sbin/nologin -G stillup stillup
  fi
}

own_folder() {
  if [ -d "$1" ]; then return 0; fi
  mkdir -p "$1"
  chmod 700 "$1"
  if [ "$scope" = system ] && [ -z "$root" ]; then chown stillup:stillup "$1"; fi
}

# A data folder that was there before must belong to the user that the program runs as, and is closed to all others.
# With the slash a symbolic link stands for its folder.
close_folder() {
  user=$(service_user)
  if [ "$(owner_of "$1/")" != "$(service_uid)" ]; then
    refuse "The data folder $1 does not belong to the user $user. Give it to that user: chown -R $user \"$1\". Or set STILLUP_DATA_DIR in $settings to another folder."
  fi
  # Closing a folder of something else, such as /tmp, would break other programs.
  case "$(ls -ld "$1/")" in d???------*) return 0 ;; esac
  if ! holds_our_data "$1"; then
    for file in "$1"/* "$1"/.[!.]*; do
      [ -e "$file" ] && [ "$file" != "$1/lost+found" ] || continue
      refuse "The data folder $1 is open to other users and holds other files. Set STILLUP_DATA_DIR in $settings to an empty folder."
    done
  fi
  chmod 700 "$1/" || refuse "The data folder $1 cannot be closed to other users (chmod 700)."
}

holds_our_data() {
  for file in stillup.lock stillup.db secret.key setup-token; do
    if [ -e "$1/$file" ]; then return 0; fi
  done
  return 1
}

# A user may have a number only, as in a container that was started with one.
service_user() { if [ "$scope" = system ] && [ -z "$root" ]; then echo stillup; else my_name; fi; }
service_uid() { if [ "$scope" = system ] && [ -z "$root" ]; then id -u stillup; else id -u; fi; }
my_name() { name=$(id -un 2>/dev/null) || name=$(id -u); echo "$name"; }
# Not by stat, which small systems lack.
owner_of() {
  read -r _ _ owner _ <<TEXT
$(ls -ldn "$1")
TEXT
  echo "$owner"
}

# The service may read its settings, and not write them.
write_settings() {
  (
    umask 077
    cat >"$settings.new" <<TEXT
# Settings of Stillup; docs/settings.md explains them all. Restart the service after a change.
STILLUP_DATA_DIR="$data"

#STILLUP_HOST=127.0.0.1
#STILLUP_PORT=8484

# The address people use, and the proxy in front of it.
#STILLUP_PUBLIC_URL=https://links.example.org
#STILLUP_TRUSTED_PROXIES=127.0.0.1,::1

# Instead of SQLite.
#STILLUP_DATABASE_URL=postgres://stillup:password@127.0.0.1/stillup
TEXT
  )
  if [ "$scope" = system ] && [ -z "$root" ]; then
    chown root:stillup "$settings.new"
    chmod 640 "$settings.new"
  fi
  mv -f "$settings.new" "$settings"
}

# The command works on the data of the service for every user; root runs it as the service's user. It is replaced by
# the program, so that a signal to it reaches the program where no systemd runs it: runuser and su would stay in between.
write_command() {
  echo '#!/bin/sh'
  echo '# Stillup with the settings of its service. Written by install.sh.'
  if [ "$scope" = system ] && [ -z "$root" ]; then
    echo "if [ \"\$(id -u)\" = 0 ]; then exec setpriv --reuid stillup --regid stillup --init-groups -- '$program' --env-file '$settings' \"\$@\"; fi"
  fi
  echo "if [ -r '$settings' ]; then exec '$program' --env-file '$settings' \"\$@\"; fi"
  if [ "$scope" = system ]; then write_refusal; fi
  echo "exec '$program' \"\$@\""
}

# A user who may not read the settings would work on other data without noticing.
write_refusal() {
  cat <<TEXT
case \${1:-} in
  check | completion | help | version | -*) ;;
  *) [ ! -e '$settings' ] || { echo "You may not read $settings. Type: sudo stillup \$*" >&2; exit 1; } ;;
esac
TEXT
}

write_user_unit() {
  cat <<TEXT
[Unit]
Description=Stillup watches links

[Service]
$(write_running)

[Install]
WantedBy=default.target
TEXT
}

# MemoryDenyWriteExecute is missing on purpose: the program's JIT writes what it executes. And no limit of
# starts: PostgreSQL or a disk may come late, and a limit would refuse a start by hand as well.
write_system_unit() {
  cat <<TEXT
[Unit]
Description=Stillup watches links
Wants=network-online.target
After=network-online.target
RequiresMountsFor=$(written_folders)
StartLimitIntervalSec=0

[Service]
User=stillup
Group=stillup
WorkingDirectory=$data
$(write_running)
ProtectSystem=strict
ReadWritePaths=$(written_folders)
ProtectHome=yes
PrivateTmp=yes
PrivateDevices=yes
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
ProtectProc=invisible
CapabilityBoundingSet=
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
RestrictNamespaces=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
LockPersonality=yes
RemoveIPC=yes
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM

[Install]
WantedBy=multi-user.target
TEXT
}

written_folders() { echo "\"$data\"${database_folder:+ \"$database_folder\"}"; }

write_running() {
  cat <<TEXT
Type=exec
ExecStart="$program" --env-file "$settings" serve
Restart=on-failure
RestartSec=5
RestartPreventExitStatus=64
TimeoutStopSec=30
LimitNOFILE=65536
OOMPolicy=continue
UMask=0077
NoNewPrivileges=yes
TEXT
}

# --- the service ---

has_service() {
  [ "$service" = yes ] || return 1
  if [ "$scope" = system ]; then
    [ -d "$root/run/systemd/system" ]
  else
    command -v systemctl >/dev/null && control show-environment >/dev/null 2>&1
  fi
}

control() {
  if [ "$scope" = system ]; then systemctl "$@"; else systemctl --user "$@"; fi
}

# Fails when there is no service to start.
start_service() {
  has_service || return 1
  control enable stillup.service >/dev/null 2>&1 || refuse "systemctl cannot enable the service; $unit is there."
  [ "$scope" = system ] || loginctl enable-linger >/dev/null 2>&1 ||
    say "The service ends when you log out, unless an administrator runs: loginctl enable-linger $(my_name)"
  control daemon-reload
  control restart stillup.service || true
  restarts=$(count_restarts)
}

count_restarts() { control show --property NRestarts --value stillup.service 2>/dev/null; }

# A minute to answer; then a quarter of an hour for what it does to its data before it is ready.
wait_until_well() {
  wait_until ask_health 60 || return 1
  wait_until is_ready 900 && return 0
  if has_crashed; then return 1; fi
  say "It is still getting ready; watch it with: $(shown_log) -f"
}

# wait_until COMMAND SECONDS: an answer while the service is down comes from another program.
wait_until() {
  left=$2
  while sleep 1; do
    if has_crashed || [ "$left" -le 0 ]; then return 1; fi
    if "$1"; then return 0; fi
    left=$((left - 1))
  done
}

ask_health() {
  "$program" --env-file "$settings" health "$@" >/dev/null 2>&1
}

# Programs that cannot be asked are as ready as they are healthy.
is_ready() {
  "$program" help health 2>/dev/null | grep -q -- --ready || return 0
  ask_health --ready
}

has_crashed() {
  ! control is-active --quiet stillup.service || [ "$(count_restarts)" != "$restarts" ]
}

# What the new program has made before it brought the database up to date; empty when it did not come to that.
copy_before() {
  [ ! -d "$data/backups" ] || find "$data/backups" -name 'stillup-before-*.db' -newer "$unfinished" | tail -n 1
}

# setting NAME DEFAULT: as --env-file would read it from the file of settings.
setting() {
  found=
  if [ -f "$settings" ]; then
    found=$(sed -n "s/^[[:space:]]*\(export[[:space:]][[:space:]]*\)\{0,1\}$1[[:space:]]*=[[:space:]]*//p" "$settings" | tail -n 1 | unquote)
  fi
  echo "${found:-$2}"
}

# What stands between two quotes, or all before a comment.
unquote() {
  sed -e 's/^"\([^"]*\)".*/\1/; t' -e "s/^'\([^']*\)'.*/\1/; t" -e "s/^\`\([^\`]*\)\`.*/\1/; t" \
    -e 's/#.*//; s/[[:space:]]*$//'
}

uninstall() {
  [ -f "$program" ] || [ -f "$command" ] || refuse "There is no Stillup in $prefix; --user, --system or --prefix says where it is."
  if [ -f "$unit" ] && has_service; then control disable --now stillup.service >/dev/null 2>&1 || true; fi
  rm -f "$unit" "$command" "$program" "$program.previous" "$unfinished"
  rmdir "$lib" 2>/dev/null || true
  if has_service; then control daemon-reload; fi
  say "Stillup is removed. Its data stays in $data, its settings in $settings_dir."
}

# --- words ---

shown_command() { case $command in *\ *) echo "'$command'" ;; *) echo "$command" ;; esac; }
show_log() { if [ "$scope" = system ]; then journalctl -u stillup "$@"; else journalctl --user -u stillup "$@"; fi; }
shown_log() { if [ "$scope" = system ]; then echo "journalctl -u stillup"; else echo "journalctl --user -u stillup"; fi; }
say() { echo "$*"; }
refuse() { echo "$*" >&2; exit 1; }
wrong() { echo "$*" >&2; exit 64; }

main "$@"
