#!/bin/sh
# The site shop.example.test once more, as hand.example.test and as manuals set it up: Debian's own
# PHP-FPM with its pool, Debian's snippet for nginx, a plain virtual host:
#   sh by-hand.sh PHP
# The names are equally long, so that serialized options stay whole.
set -eu
php=$1
source=/srv/www/shop/public
root=/var/www/hand
tls=/etc/hosting/tls/shop.example.test
password=$(head -c 32 /dev/urandom | base64 | tr -dc A-Za-z0-9)

mkdir -p "$root"
cp -a "$source/." "$root"
mariadb <<SQL
CREATE DATABASE hand CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci;
CREATE USER 'hand'@'localhost' IDENTIFIED BY '$password';
GRANT ALL ON hand.* TO 'hand'@'localhost';
SQL
mariadb-dump shop | sed 's/shop\.example\.test/hand.example.test/g' | mariadb hand
sed -i "s/shop\.example\.test/hand.example.test/g
s/define( *'DB_\(NAME\|USER\)', *'[^']*'/define('DB_\1', 'hand'/
s/define( *'DB_PASSWORD', *'[^']*'/define('DB_PASSWORD', '$password'/" "$root/wp-config.php"
chown -R www-data:www-data "$root"

cat >/etc/nginx/sites-available/hand <<CONF
server {
    listen 443 ssl http2;
    server_name hand.example.test;
    ssl_certificate $tls/fullchain.pem;
    ssl_certificate_key $tls/privkey.pem;
    root $root;
    index index.php;
    location / { try_files \$uri \$uri/ /index.php?\$args; }
    location ~ \.php$ {
        include snippets/fastcgi-php.conf;
        fastcgi_pass unix:/run/php/php$php-fpm.sock;
    }
}
CONF
ln -s ../sites-available/hand /etc/nginx/sites-enabled/hand
systemctl enable --now --quiet "php$php-fpm.service"
nginx -t -q
systemctl reload nginx
