#!/bin/sh
# What an administrator's script does for one WordPress site, with the same programs as the agent:
#   sh plain.sh DOMAIN USER PHP CORE WP_CLI
set -eu
domain=$1 user=$2 php=$3 core=$4 wp_cli=$5
home=/srv/www/$user
root=$home/public
secret() { head -c 32 /dev/urandom | base64 | tr -dc A-Za-z0-9; }
as_user() { setpriv --reuid="$user" --regid="$user" --init-groups -- "$@"; }
wp() { as_user env HOME="$home" "php$php" -d memory_limit=512M "$wp_cli" --path="$root" "$@"; }

useradd --no-create-home --home-dir "$home" --shell /usr/sbin/nologin --user-group "$user"
install -d -m 711 "$home"
install -d -m 2750 -o "$user" -g www-data "$root"
install -d -m 700 -o "$user" -g "$user" "$home/tmp" "$home/sessions" "$home/logs"
install -d -m 750 -g www-data "/var/log/hosting/$user"
setpriv --reuid="$user" --regid=www-data --clear-groups -- cp -r "$core/." "$root/"

password=$(secret)
mariadb <<SQL
CREATE DATABASE \`$user\` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
CREATE USER '$user'@'localhost' IDENTIFIED BY '$password';
GRANT ALL ON \`$user\`.* TO '$user'@'localhost';
SQL
printf %s "$password" | wp config create --dbname="$user" --dbuser="$user" --prompt=dbpass --skip-check --quiet >/dev/null
offline="WP_CLI::add_wp_hook('pre_http_request', fn() => new WP_Error('offline'));"
secret | wp --exec="$offline" core install --url="http://$domain" --title="$domain" --admin_user=owner --admin_email="owner@$domain" --prompt=admin_password --skip-email --quiet >/dev/null

pool=/etc/hosting/fpm/plain-$user.conf
unit=plain-fpm-$user.service
cat >"$pool" <<CONF
[global]
error_log = /var/log/hosting/$user/php-fpm.log
[$user]
user = $user
group = $user
listen = /run/plain-$user.sock
listen.owner = $user
listen.group = www-data
listen.mode = 0660
pm = ondemand
pm.max_children = 5
CONF
cat >"/etc/systemd/system/$unit" <<CONF
[Service]
Type=notify
ExecStart=/usr/sbin/php-fpm$php --nodaemonize --fpm-config $pool
[Install]
WantedBy=multi-user.target
CONF
"php-fpm$php" --test --fpm-config "$pool" 2>/dev/null
systemctl enable --now --quiet "$unit"

cat >"/etc/nginx/sites-available/plain-$user.conf" <<CONF
server {
    listen 80;
    server_name $domain;
    root $root;
    index index.php;
    location / { try_files \$uri \$uri/ /index.php?\$args; }
    location ~ \.php$ {
        try_files \$uri =404;
        include fastcgi.conf;
        fastcgi_pass unix:/run/plain-$user.sock;
    }
}
CONF
ln -s "../sites-available/plain-$user.conf" /etc/nginx/sites-enabled/
nginx -t -q
systemctl reload nginx
echo "*/5 * * * * $user php$php $wp_cli --path=$root cron event run --due-now --quiet" >"/etc/cron.d/plain-$user"
until curl -sf -o /dev/null -H "Host: $domain" http://127.0.0.1/; do sleep 0.02; done
