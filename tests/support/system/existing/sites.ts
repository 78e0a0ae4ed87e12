import type { Host } from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'

/** The password of MariaDB's root, which the agent can read only in /root/.my.cnf. */
const ROOT_PASSWORD = 'correct # horse "battery'
export const OPTION_FILE = `[client]\nuser=root\npassword='${ROOT_PASSWORD}'\n`

const FRONT = (name: string) => `<?php
$db = new mysqli('localhost', 'legacy', 'legacy', 'legacy');
echo '${name} front ', $db->query('SELECT text FROM words')->fetch_row()[0], "\\n";
`
const PAGE = (name: string) => `<?php echo '${name} page by ', php_sapi_name(), "\\n";`

const folderOf = (name: string) => `/var/www/${name}`

/** Files of one site: a front page with the database, a PHP page without it, and a static file. */
export async function putSite(host: Host, name: string, folder = folderOf(name)): Promise<void> {
  await host.put(`${folder}/index.php`, FRONT(name))
  await host.put(`${folder}/page.php`, PAGE(name))
  await host.put(`${folder}/static.txt`, `${name} static\n`)
}

const vhost = (name: string, listen: string, server_name: string, body: string) => `server {
    listen ${listen};
    server_name ${server_name};
    root ${folderOf(name)};
    index index.php index.html;
    access_log /var/log/nginx/main.log main;
${body}
}
`
export const php = (pass: string) => `    location ~ \\.php$ {
        include fastcgi_params;
        fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
        fastcgi_pass ${pass};
    }`

const pool = (name: string, listen: string) => `[${name}]
user = www-data
group = www-data
listen = ${listen}
listen.owner = www-data
listen.group = www-data
pm = ondemand
pm.max_children = 5
`

const TUNING = `server_names_hash_bucket_size 128;
open_file_cache max=1000 inactive=20s;
log_format main '$remote_addr "$request" $status';
map $http_upgrade $connection_upgrade {
    default upgrade;
    "" close;
}
`

const APACHE = `<VirtualHost 127.0.0.1:8080>
  ServerName apache.example.test
  DocumentRoot /var/www/apache
  DirectoryIndex index.php
  <FilesMatch "\\.php$">
    SetHandler "proxy:unix:PHP_SOCKET|fcgi://localhost"
  </FilesMatch>
</VirtualHost>
`

/** An administrator's MariaDB: a database of the sites, and a root password. */
async function prepareMariadb(host: Host): Promise<void> {
  const sql = `CREATE DATABASE legacy;
CREATE TABLE legacy.words (text VARCHAR(20));
INSERT INTO legacy.words VALUES ('from MariaDB');
CREATE USER legacy@localhost IDENTIFIED BY 'legacy';
GRANT ALL ON legacy.* TO legacy@localhost;
`
  await host.must(['mariadb'], { input: sql })
}

async function closeRoot(host: Host): Promise<void> {
  const sql = `ALTER USER root@localhost IDENTIFIED VIA mysql_native_password USING PASSWORD('${ROOT_PASSWORD}');\n`
  await host.must(['mariadb'], { input: sql })
}

async function prepareApache(host: Host, socket: string): Promise<void> {
  await host.put('/etc/apache2/ports.conf', 'Listen 127.0.0.1:8080\n')
  const site = APACHE.replace('PHP_SOCKET', socket)
  await host.put('/etc/apache2/sites-available/000-default.conf', site)
  await host.must(['a2enmod', '-q', 'proxy_fcgi'])
  await host.must(['systemctl', 'restart', 'apache2.service'])
}

/**
 * One server with sites on PHP by TCP, by a socket of another name, by Apache behind nginx on
 * Debian's socket, on one address only, and a first one that so answers every unknown name.
 */
export async function prepareSites(host: Host, suite: Suite): Promise<void> {
  const { php: version } = suites[suite]
  const debian = `/run/php/php${version}-fpm.sock`
  const named = '/run/php/wordpress.sock'
  const www = `/etc/php/${version}/fpm/pool.d/www.conf`
  await host.put(
    www,
    [pool('www', '127.0.0.1:9000'), pool('named', named), pool('apache', debian)].join('\n'),
  )
  await host.must(['systemctl', 'restart', `php${version}-fpm.service`])
  await prepareMariadb(host)
  await closeRoot(host)
  for (const name of ['catch-all', 'tcp', 'named', 'apache', 'address']) await putSite(host, name)
  await prepareApache(host, debian)
  await host.must(['rm', '/etc/nginx/sites-enabled/default'])
  await host.put('/etc/nginx/conf.d/tuning.conf', TUNING)
  const proxy =
    '    location / {\n        proxy_pass http://127.0.0.1:8080;\n        proxy_set_header Host $host;\n    }'
  const files = {
    'i-catch-all': vhost('catch-all', '80', '_', php('127.0.0.1:9000')),
    'site-tcp': vhost('tcp', '80', 'tcp.example.test', php('127.0.0.1:9000')),
    'site-named': vhost('named', '80', 'named.example.test', php(`unix:${named}`)),
    'site-apache': vhost('apache', '80', 'apache.example.test', proxy),
    'site-address': vhost(
      'address',
      `${host.address}:80`,
      'address.example.test',
      php('127.0.0.1:9000'),
    ),
  }
  for (const [name, text] of Object.entries(files)) {
    await host.put(`/etc/nginx/sites-enabled/${name}`, text)
  }
  await host.must(['systemctl', 'restart', 'nginx.service'])
}
