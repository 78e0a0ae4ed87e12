#!/bin/sh
# Brings one site back on an empty Debian server, with nothing but the recovery kit and the storage:
#     sh recover-site.sh --kit kit.pem --repository repository [--ca ca.pem] [--keys FOLDER]
# kit.pem has the private key of the kit, and the file "repository" the address of the repository in
# one line, as https://restic.net writes it, such as rest:https://USER:PASSWORD@HOST:8000/hosting/shop_k3f9/
# S3 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, and AWS_DEFAULT_REGION if it
# is not us-east-1; SFTP needs a key and a known host for ssh(1). --keys is a copy of the folder "keys"
# of the repository, if it cannot be read from the storage. --backup ID restores another backup than the
# newest one that is not dated in the future. Run it as root; it can be run again.
set -eu
fail() { echo "recover-site: $*" >&2; exit 1; }
say() { echo "[$(($(date +%s) - started)) s] $*"; }
started=$(date +%s) kit='' repository='' ca='' keys='' backup=newest
while [ $# -gt 0 ]; do
  [ $# -gt 1 ] || fail "$1 needs a value"
  case $1 in
    --kit) kit=$(realpath "$2") ;; --repository) repository=$(realpath "$2") ;;
    --ca) ca=$(realpath "$2") ;; --keys) keys=$(realpath "$2") ;; --backup) backup=$2 ;;
    *) fail "$1 is not an option: see the first lines of this script" ;;
  esac; shift 2
done
[ "$(id -u)" = 0 ] || fail 'run it as root'
[ -f "$kit" ] || fail '--kit must be the file with the private key of the recovery kit'
[ -f "$repository" ] || fail '--repository must be a file with the address of the repository'
. /etc/os-release; case ${VERSION_ID:-} in 12) php=8.2 ;; 13) php=8.4 ;; *) fail 'needs Debian 12 or 13' ;; esac

umask 077
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"; export DEBIAN_FRONTEND=noninteractive
say 'Installing nginx, PHP and MariaDB'
apt-get update -q > apt.log 2>&1 || { cat apt.log; fail 'apt-get update failed'; }
apt-get install -y -q --no-install-recommends nginx mariadb-server mariadb-client curl openssl \
  ca-certificates openssh-client "php$php-fpm" "php$php-cli" "php$php-mysql" "php$php-curl" "php$php-gd" \
  "php$php-mbstring" "php$php-xml" "php$php-zip" "php$php-intl" > apt.log 2>&1 ||
  { tail -20 apt.log; fail 'apt-get install failed'; }; systemctl start mariadb

# restic 0.19 or newer: this one runs on Debian 12 and 13.
if ! restic version 2> /dev/null | grep -Eq 'restic (0\.(19|[2-9][0-9])|[1-9])'; then
  say 'Downloading restic'
  case $(dpkg --print-architecture) in
    amd64) sha256=97711c3125b5a65788a7e99fce8eb25f9a543fa8d83c4d7e54a5febe939a0f9e ;;
    arm64) sha256=37f474371bf411d7b14dbc5d607d93beda117af94a7192a6bcecc7f81e3f8ff5 ;;
    *) fail 'install restic 0.19 or newer' ;;
  esac
  deb=restic_0.19.1-1_$(dpkg --print-architecture).deb
  archive=http://snapshot.debian.org/archive/debian/20261101T000000Z/pool/main/r/restic
  curl -fsSL -o restic.deb "$archive/$deb" || fail 'restic cannot be downloaded: install 0.19 or newer'
  echo "$sha256  restic.deb" | sha256sum --check --quiet
  dpkg-deb --extract restic.deb restic
  PATH=$work/restic/usr/bin:$PATH
fi

say 'Opening the repository'
address=$(head -1 "$repository"); mkdir sealed
# Not in arguments, which all users can see.
ask() {
  printf 'url = "%s"\nsilent\nshow-error\nfail\n' "$1"
  [ -z "$ca" ] || printf 'cacert = "%s"\n' "$ca"
  case $address in s3:*)
    printf 'aws-sigv4 = "aws:amz:%s:s3"\nuser = "%s:%s"\n' "${AWS_DEFAULT_REGION:-us-east-1}" \
      "$AWS_ACCESS_KEY_ID" "$AWS_SECRET_ACCESS_KEY"
    printf 'header = "x-amz-content-sha256: %s"\n' "$(printf '' | sha256sum | cut -d ' ' -f 1)" ;;
  esac
}
# The addresses of the list of keys, and of the keys without their names.
fetch_keys() {
  ask "$1" | curl --config - | grep -o '[0-9a-f]\{64\}' | sort -u > names
  while read -r name; do ask "$2$name" | curl --config - > "sealed/$name"; done < names
}
case ${keys:+given}$address in
  given*) cp "$keys"/* sealed/ ;;
  /*) cp "${address%/}/keys"/* sealed/ ;;
  rest:*) url=${address#rest:} url=${url%/}; fetch_keys "$url/keys/" "$url/keys/" ;;
  s3:*)
    : "${AWS_ACCESS_KEY_ID:?S3 needs it}" "${AWS_SECRET_ACCESS_KEY:?S3 needs it}"; url=${address#s3:}
    case $url in *://*) url=${url%/} ;; *) url=https://${url%/} ;; esac
    path=${url#*://*/}
    prefix=$(printf '%s/keys/' "${path#*/}" | sed 's|/|%2F|g')
    fetch_keys "${url%"/$path"}/${path%%/*}?list-type=2&prefix=$prefix" "$url/keys/" ;;
  sftp:*)
    url=${address#sftp:} path=${url#*:} server=${url%%:*}
    case $url in //*) url=${url#//} path=${url#*/} server=sftp://${url%%/*} ;; esac
    echo "get ${path%/}/keys/* sealed/" | sftp -q -b - "$server" > /dev/null ;;
  *) fail 'copy the folder "keys" of the repository to this machine, and name it with --keys' ;;
esac
for key in sealed/*; do cat "$key"; echo; done |
  sed -n 's/.*"username":"\([A-Za-z0-9+\/=]\{300,\}\)".*/\1/p' > lines
while read -r line; do
  printf %s "$line" | base64 -d | openssl pkeyutl -decrypt -inkey "$kit" \
    -pkeyopt rsa_padding_mode:oaep -pkeyopt rsa_oaep_md:sha256 > password 2> /dev/null && break
done < lines
[ -s password ] || fail 'this kit opens no key of the repository'
own_restic() {
  restic --repository-file "$repository" --password-file password --no-lock --quiet ${ca:+--cacert "$ca"} "$@"
}

if [ "$backup" = newest ]; then
  say 'Looking for the newest backup'
  own_restic snapshots --tag manifest --json > backups.json
  # A server dates its backups itself, and one in wrong hands as it likes.
  php -r '$all = json_decode(file_get_contents("backups.json"), true) ?: []; $newest = "";
    usort($all, fn($one, $other) => strtotime($other["time"]) <=> strtotime($one["time"]));
    foreach ($all as $position => ["id" => $id, "time" => $time]) {
      $later = strtotime($time) > time() + 3600; $newest = $newest ?: ($later ? "" : $id);
      if ($position >= 20) continue;
      echo "  ", substr($id, 0, 8), gmdate("  Y-m-d H:i:s", strtotime($time)), " UTC",
        $later ? ", in the future: not taken\n" : "\n";
    }
    if (count($all) > 20) echo "  and ", count($all) - 20, " earlier ones\n";
    file_put_contents("newest", $newest);'
  backup=$(cat newest)
  [ -n "$backup" ] || fail "no backup is dated before now, $(date -u): correct the clock of this machine, or choose a backup with --backup ID"
fi

say "Reading the manifest of the backup $(printf %.8s "$backup")"
own_restic dump --tag manifest "$backup" /manifest.json > manifest.json
# The value of a field of the manifest, if it has no unexpected characters.
field() {
  php -r '$value = json_decode(file_get_contents("manifest.json"), true);
    foreach (explode(".", $argv[1]) as $name) $value = $value[$name] ?? "";
    echo preg_match("/^[a-zA-Z0-9_.-]*$/D", (string) $value) ? $value : "";' "$1"
}
domain=$(field domain) user=$(field site.user) files=$(field files.snapshot) dump=$(field database.snapshot)
[ -n "$domain" ] && [ -n "$user" ] && [ -n "$files" ] || fail 'the manifest cannot be read'
# Aliases and redirects, which WordPress leads to its own address; then the cron jobs of the site.
php -r '$site = json_decode(file_get_contents("manifest.json"), true)["site"];
  $names = [...$site["names"]["aliases"] ?? [], ...array_column($site["names"]["redirects"] ?? [], "domain")];
  file_put_contents("names", implode(" ", preg_grep("/^(\*\.)?[a-z0-9.-]+$/D", $names)));
  foreach ($site["jobs"] ?? [] as $job) echo "  $job[schedule]  $job[command]\n";' > jobs
names=$(cat names)
say "Restoring the files of $domain"
home=/srv/www/$user; id "$user" > /dev/null 2>&1 || useradd --system --home-dir "$home" "$user"
install -d -m 0755 /srv/www; install -d -m 0750 -o root -g "$user" "$home"
# Whoever wrote the backup chose its links, owners and modes: it is unpacked with the rights of the site.
usermod --append --groups "$user" www-data
new=$home/incoming; rm -rf "$new"; install -d -m 0700 -o "$user" -g "$user" "$new"
{ own_restic dump --archive tar "$files:/site" /public || touch unread; } |
  (cd "$home" && runuser -u "$user" -- sh -euc 'cd incoming
    tar -x -f - --preserve-permissions --no-same-owner; [ -d public ] && [ ! -L public ]
    find public ! -type d ! -type f ! -type l -delete; chmod 0750 public
    find public ! -type l -perm /6000 -exec chmod ug-s "{}" +') || fail 'the files of the backup are refused'
[ ! -e unread ] || fail 'the files of the backup cannot be read'
rm -rf "$home/public"; mv "$new/public" "$home/public"; rm -rf "$new"
[ -d "$home/public" ] && [ ! -L "$home/public" ] || fail 'public is not a folder in this backup'

if [ -n "$dump" ]; then
  say 'Restoring the database'
  # Read with the rights of the site: it may be a link.
  runuser -u "$user" -- php -r '$text = file_get_contents($argv[1]);
    foreach (["DB_NAME", "DB_USER", "DB_PASSWORD"] as $name) {
      $define = "/define\(\s*[\x27\"]{$name}[\x27\"]\s*,\s*([\x27\"])((?:\\\\.|(?!\\1).)*)\\1/s";
      if (!preg_match($define, $text, $found)) exit(1);
      echo strtr($found[2], ["\\\\" => "\\", "\\\x27" => "\x27"]), "\n";
    }' "$home/public/wp-config.php" > account ||
    fail 'wp-config.php has no DB_NAME, DB_USER and DB_PASSWORD'
  { read -r name; read -r account; IFS= read -r secret; } < account
  case "$name$account" in *[!a-zA-Z0-9_-]*) fail 'wp-config.php names an odd database' ;; esac
  quoted=$(printf %s "$secret" | sed "s/[\\\\']/\\\\&/g")
  charset=$(field database.character_set) collation=$(field database.collation)
  mariadb <<SQL
SET GLOBAL max_allowed_packet = 1073741824;
CREATE DATABASE IF NOT EXISTS \`$name\` CHARACTER SET ${charset:-utf8mb4} COLLATE ${collation:-utf8mb4_unicode_ci};
CREATE OR REPLACE USER '$account'@localhost IDENTIFIED BY '$quoted'; GRANT ALL ON \`$name\`.* TO '$account'@localhost;
SQL
  printf '[client]\nuser="%s"\npassword="%s"\n' "$account" "$(printf %s "$secret" | sed 's/\\/\\\\/g')" > client.cnf
  # With the rights of the site: a dump can contain any statement.
  own_restic dump "$dump" /database.sql > database.sql
  mariadb --defaults-file=client.cnf --binary-mode --local-infile=0 "$name" < database.sql
fi

say 'Setting up PHP and nginx'; umask 022
printf '%s\n' "[$user]" "user = $user" "group = $user" "listen = /run/php/$user.sock" \
  'listen.owner = www-data' 'pm = ondemand' 'pm.max_children = 10' > "/etc/php/$php/fpm/pool.d/$user.conf"
tls=/etc/ssl/recovered/$user; install -d -m 0700 "$tls"
[ -f "$tls/cert.pem" ] || openssl req -x509 -newkey rsa:2048 -noenc -days 30 -subj "/CN=$domain" \
  -keyout "$tls/key.pem" -out "$tls/cert.pem" 2> /dev/null
cat > "/etc/nginx/sites-enabled/$user.conf" <<NGINX
server {
  listen 80; listen [::]:80; listen 443 ssl; listen [::]:443 ssl;
  server_name $domain www.$domain $names;
  ssl_certificate $tls/cert.pem; ssl_certificate_key $tls/key.pem;
  root $home/public; index index.php index.html; client_max_body_size 64m;
  location / { try_files \$uri \$uri/ /index.php?\$args; }
  location ~ /\.(?!well-known/) { deny all; }
  location ~ \.php$ { try_files \$uri =404; include fastcgi_params; fastcgi_pass unix:/run/php/$user.sock;
    fastcgi_param SCRIPT_FILENAME \$document_root\$fastcgi_script_name; }
}
NGINX
systemctl restart "php$php-fpm" nginx

status=$(curl -sSkL -o page -w '%{http_code}' --resolve "$domain:80:127.0.0.1" \
  --resolve "$domain:443:127.0.0.1" "http://$domain/") || status=none
[ "$status" = 200 ] || fail "$domain is restored, and its first page has the status $status"
say "$domain answers. Backup of $(php -r 'echo json_decode(file_get_contents("manifest.json"))->at;')"
cat <<NEXT
Next: point the name $domain to this server, and replace the certificate that no browser trusts:
  apt-get install -y certbot python3-certbot-nginx && certbot --nginx -d $domain
${names:+It also answers for $names
}Jobs of WordPress run with visits, and cron jobs of the site not at all: $(cat -v jobs || :)
Delete kit.pem and the file of the repository from this server.
NEXT
