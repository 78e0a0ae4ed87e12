/** Creates the number of sites in its argument; each has its own pool, certificate and folder. */
export const FILL = `
tree=/srv/base/wordpress
for n in $(seq "$1"); do
  root=/var/www/site$n
  mkdir -p $root/wp-includes $root/wp-content/plugins/one $root/wp-content/themes/one /etc/ssl/site$n
  cp $tree/wp-includes/version.php $root/wp-includes/
  sed "s/@DATABASE@/site$n/" /srv/base/wp-config.php > $root/wp-config.php
  printf '<?php\\n/* Plugin Name: One\\nVersion: 1.0 */' > $root/wp-content/plugins/one/one.php
  printf '/* Theme Name: One\\nVersion: 1.0 */' > $root/wp-content/themes/one/style.css
  cp $tree/index.php $root/
  cp /srv/certificates/letsencrypt.pem /etc/ssl/site$n/fullchain.pem
  cp /srv/certificates/letsencrypt.key /etc/ssl/site$n/privkey.pem
  cat > /etc/nginx/sites-enabled/site$n <<VHOST
server { listen 80; server_name site$n.example www.site$n.example; return 301 https://\\$host\\$request_uri; }
server {
  listen 443 ssl;
  server_name site$n.example www.site$n.example;
  root $root;
  ssl_certificate /etc/ssl/site$n/fullchain.pem;
  ssl_certificate_key /etc/ssl/site$n/privkey.pem;
  index index.php;
  location / { try_files \\$uri \\$uri/ /index.php?\\$args; }
  location ~ \\\\.php$ { include snippets/fastcgi-php.conf; fastcgi_pass unix:/run/php/site$n.sock; }
}
VHOST
  printf '[site%s]\\nuser = www-data\\nlisten = /run/php/site%s.sock\\npm = ondemand\\npm.max_children = 5\\n' $n $n > /etc/php/8.2/fpm/pool.d/site$n.conf
done
chown -R www-data:www-data /var/www
echo 'server_names_hash_max_size 8192;' > /etc/nginx/conf.d/many.conf
`

/** Reads the files that discovery needs; prints the milliseconds of that, and of nginx -T. */
export const PLAIN = `
$start = hrtime(true);
$config = '';
foreach (glob('/etc/nginx/{nginx.conf,conf.d/*,snippets/*,sites-enabled/*}', GLOB_BRACE) as $path)
  $config .= file_get_contents($path);
preg_match_all('/^  root (.*);$/m', $config, $roots);
foreach ($roots[1] as $root) {
  foreach (['', '/wp-includes', '/wp-content/plugins', '/wp-content/themes'] as $path) stat($root . $path);
  foreach (['plugins', 'themes'] as $kind) scandir("$root/wp-content/$kind");
  foreach (['wp-includes/version.php', 'wp-config.php', 'wp-content/plugins/one/one.php', 'wp-content/themes/one/style.css'] as $path) file_get_contents("$root/$path");
  $n = substr(basename($root), 4);
  file_get_contents("/etc/ssl/site$n/fullchain.pem");
  file_get_contents("/etc/php/8.2/fpm/pool.d/site$n.conf");
}
$end = hrtime(true);
shell_exec('nginx -T -q 2>/dev/null');
echo ($end - $start) / 1e6, ' ', (hrtime(true) - $end) / 1e6;
`
