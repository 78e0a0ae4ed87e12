import { expect, test } from 'bun:test'
import { listServed } from '#agent/features/existing/vhosts.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

const NGINX = 'nginx: master process /usr/sbin/nginx -g daemon on; master_process on;'
const APACHE = '/usr/sbin/apache2 -k start'
const LITESPEED = 'openlitespeed (lshttpd - main)'

/** The sites of a machine with these files and programs: names, folder, PHP and what is unknown. */
async function served(files: Record<string, string>, ...lines: string[]) {
  const host = fakeHost()
  for (const [path, text] of Object.entries(files)) await host.disk.write(path, text)
  const found = await listServed(
    host,
    lines.map((line, pid) => ({ pid, root: true, line })),
  )
  return found.map(({ domain, names, docroot, php, proxy, unknown }) =>
    [
      domain || '-',
      names.join(','),
      docroot || proxy || '-',
      php.address || php.version || '-',
      ...Object.entries(unknown).map((entry) => entry.join('=')),
    ].join(' '),
  )
}

const nginx = (sites: string) => ({
  '/etc/nginx/nginx.conf': `user www-data;
events { worker_connections 768; }
http {
  include /etc/nginx/conf.d/*.conf;
  include /etc/nginx/sites-enabled/*;
}`,
  '/etc/nginx/sites-enabled/sites': sites,
})

const PHP = `location / { try_files $uri $uri/ /index.php$is_args$args; }
  location ~ \\.php$ { include snippets/fastcgi-php.conf; fastcgi_pass unix:/run/php/php8.2-fpm.sock; }`
const SOCKET = '/run/php/php8.2-fpm.sock'

test.each([
  [
    'an IPv4 address',
    `server { listen 80; server_name 203.0.113.8; root /var/www/html; ${PHP} }`,
    [`- 203.0.113.8 /var/www/html ${SOCKET}`],
  ],
  [
    'an IPv6 address',
    `server { listen [::]:80; server_name [2001:db8::8]; root /var/www/html; ${PHP} }`,
    [`- [2001:db8::8] /var/www/html ${SOCKET}`],
  ],
  [
    'an address beside a domain',
    `server { listen 80; server_name 203.0.113.8 shop.example; root /var/www/html; ${PHP} }`,
    [`shop.example shop.example,203.0.113.8 /var/www/html ${SOCKET}`],
  ],
  [
    'one label',
    `server { listen 80; server_name intranet; root /srv/intranet; ${PHP} }`,
    [`- intranet /srv/intranet ${SOCKET}`],
  ],
  [
    "the machine's own name",
    'server { listen 80; server_name $hostname; root /srv/own; }',
    ['web1.example.net web1.example.net /srv/own -'],
  ],
  [
    "the machine's status page",
    `server { listen 127.0.0.1:8080; server_name localhost; root /var/www; location /status { stub_status; } }`,
    [],
  ],
  [
    'localhost, which stands for any other name',
    `server { listen 80; server_name localhost; root /usr/share/nginx/html; index index.html; }`,
    ['- _ /usr/share/nginx/html -'],
  ],
  [
    'any name, by a default server',
    `server { listen 80 default_server; listen [::]:80 default_server; root /var/www/html; index index.php index.html; server_name _; ${PHP} }`,
    [`- _ /var/www/html ${SOCKET}`],
  ],
  [
    'any name, on TLS too, redirected from 80',
    `server { listen 80 default_server; server_name _; return 301 https://$host$request_uri; }
     server { listen 443 ssl default_server; server_name _; ssl_certificate /etc/ssl/x.pem; root /var/www/wordpress; ${PHP} }`,
    [`- _ /var/www/wordpress ${SOCKET}`],
  ],
  [
    'a domain first, which answers any other name',
    `server { listen 80; server_name shop.example; root /var/www/shop; ${PHP} }`,
    [`shop.example shop.example /var/www/shop ${SOCKET}`],
  ],
  [
    'a name that ends in a star',
    `server { listen 80; server_name www.*; root /srv/www; ${PHP} }`,
    [`- www.* /srv/www ${SOCKET}`],
  ],
  [
    'a name that ends in a star beside a domain',
    `server { listen 80; server_name shop.example www.*; root /srv/www; ${PHP} }`,
    [`shop.example shop.example,www.* /srv/www ${SOCKET}`],
  ],
  [
    'www.* only redirects',
    `server { listen 80; server_name www.*; return 301 $scheme://shop.example$request_uri; }
     server { listen 80; server_name shop.example; root /srv/www; ${PHP} }`,
    [`shop.example shop.example /srv/www ${SOCKET}`],
  ],
])('nginx: %s', async (_, text, expected) => {
  const files = { ...nginx(text), '/etc/hostname': 'web1.example.net\n' }
  expect(await served(files, NGINX)).toEqual(expected)
})

test('nginx of RunCloud: its own program and folders, and Apache behind it', async () => {
  const files = {
    '/etc/nginx-rc/nginx.conf': `user runcloud-www;
pid /var/run/nginx-rc.pid;
http { include /etc/nginx-rc/conf.d/*.conf; }`,
    '/etc/nginx-rc/conf.d/_default.conf': `server { listen 80 default_server; server_name _; root /var/www/html; location / { return 404; } }`,
    '/etc/nginx-rc/conf.d/shop.conf': `include /etc/nginx-rc/conf.d/shop.domains.d/*.conf;`,
    '/etc/nginx-rc/conf.d/shop.domains.d/shop.example.conf': `server {
  listen 80; listen [::]:80;
  server_name shop.example www.shop.example;
  include /etc/nginx-rc/conf.d/shop.d/main.conf;
}`,
    '/etc/nginx-rc/conf.d/shop.d/main.conf': `root /home/runcloud/webapps/shop/public;
index index.html index.php;
include /etc/nginx-rc/extra.d/shop.location.*.conf;
location / { try_files $uri @proxy; }
location ~ \\.php$ { try_files $uri =404; proxy_pass http://127.0.0.1:81; }
location @proxy { proxy_pass http://127.0.0.1:81; }`,
    '/etc/apache2-rc/apache2.conf': `ServerRoot "/etc/apache2-rc"
LoadModule proxy_fcgi_module /usr/lib/apache2/modules/mod_proxy_fcgi.so
Listen 127.0.0.1:81
IncludeOptional conf.d/*.conf`,
    '/etc/apache2-rc/conf.d/shop.conf': `<VirtualHost 127.0.0.1:81>
  ServerName shop.example
  ServerAlias www.shop.example
  DocumentRoot "/home/runcloud/webapps/shop/public"
  <FilesMatch \\.php$>
    SetHandler "proxy:unix:/var/run/shop.sock|fcgi://localhost"
  </FilesMatch>
</VirtualHost>`,
  }
  const lines = [
    'nginx: master process /usr/local/sbin/nginx-rc -c /etc/nginx-rc/nginx.conf',
    '/usr/sbin/apache2-rc -d /etc/apache2-rc -f /etc/apache2-rc/apache2.conf -k start',
  ]
  const site = 'shop.example shop.example,www.shop.example /home/runcloud/webapps/shop/public'
  expect(await served(files, ...lines)).toEqual([`${site} /run/shop.sock`])
  expect(await served(files)).toEqual([`${site} -`])
})

test('two programs of nginx with their own files', async () => {
  const files = {
    ...nginx('server { listen 8080; server_name one.example; root /srv/one; }'),
    '/opt/gitlab/nginx.conf': 'http { include sites/*; }',
    '/opt/gitlab/sites/two': 'server { listen 80; server_name two.example; root /srv/two; }',
  }
  const other = 'nginx: master process /opt/gitlab/sbin/nginx -p /opt/gitlab -c nginx.conf'
  expect(await served(files, NGINX, other)).toEqual([
    'one.example one.example /srv/one -',
    'two.example two.example /srv/two -',
  ])
})

test('OpenResty has its own program and folder', async () => {
  const files = {
    '/usr/local/openresty/nginx/conf/nginx.conf':
      'http { server { listen 80; server_name a.example; root /srv/a; } }',
  }
  const line = 'nginx: master process /usr/local/openresty/bin/openresty -g daemon off;'
  expect(await served(files, line)).toEqual(['a.example a.example /srv/a -'])
})

test.each([
  [
    'the image of a cloud',
    `<VirtualHost *:80>
      UseCanonicalName Off
      ServerAdmin webmaster@localhost
      DocumentRoot /var/www/html
      <Directory /var/www/html/>
        Options FollowSymLinks
        AllowOverride All
      </Directory>
      <FilesMatch \\.php$>
        SetHandler "proxy:unix:/run/php/php8.2-fpm.sock|fcgi://localhost"
      </FilesMatch>
    </VirtualHost>`,
    [`- _ /var/www/html ${SOCKET}`],
  ],
  [
    'any name by an alias',
    `<VirtualHost 127.0.0.1:80>
      ServerName local-stackman
      DocumentRoot /opt/bitnami/apache/htdocs
    </VirtualHost>
    <VirtualHost 127.0.0.1:80 _default_:80>
      ServerName www.example.com
      ServerAlias *
      DocumentRoot /opt/bitnami/wordpress
    </VirtualHost>`,
    ['www.example.com www.example.com,_ /opt/bitnami/wordpress -'],
  ],
  [
    'an address without a port',
    `<VirtualHost 203.0.113.1>
      ServerName a.example
      DocumentRoot /srv/a
    </VirtualHost>
    <VirtualHost [2001:db8::1]:80 [2001:db8::2]>
      DocumentRoot /srv/b
    </VirtualHost>`,
    ['a.example a.example /srv/a -', '- _ /srv/b -'],
  ],
])('Apache: %s', async (_, text, expected) => {
  const files = { '/etc/apache2/apache2.conf': `Listen 80\n${text}` }
  expect(await served(files, APACHE)).toEqual(expected)
})

/** The main file as OpenLiteSpeed 1.8 and CyberPanel write it. */
const OLS_MAIN = `serverName
user                      nobody
group                     nogroup
priority                  0

errorlog logs/error.log {
  logLevel                DEBUG
  rollingSize             10M
}

extProcessor lsphp{
    type                            lsapi
    address                         uds://tmp/lshttpd/lsphp.sock
    path                            lsphp83/bin/lsphp
    extUser                         nobody
}

scriptHandler{
    add lsapi:lsphp  php
}

virtualHost Example{
    vhRoot                   Example/
    configFile               conf/vhosts/Example/vhconf.conf
}

virtualHost shop.example {
  vhRoot                  /home/$VH_NAME
  configFile              $SERVER_ROOT/conf/vhosts/$VH_NAME/vhost.conf
  allowSymbolLink         1
  enableScript            1
  restrained              1
}

listener Default{
    address                  *:80
    secure                   0
    map                      shop.example shop.example
}

listener SSL {
  address                 *:443
  secure                  1
  keyFile                  /etc/letsencrypt/live/panel.example/privkey.pem
  certFile                 /etc/letsencrypt/live/panel.example/fullchain.pem
  map                     shop.example shop.example
}

vhTemplate docker {
  templateFile            conf/templates/docker.conf
  listeners               HTTP, Default
  note                    docker

  member localhost {
    vhDomain              localhost, *
  }
  member blog.example {
    vhDomain              blog.example, www.blog.example
  }
  member forum {
    vhDomain              forum.example
    vhRoot                /srv/forum
  }
}
include conf/more/*.conf
`
const OLS = {
  '/usr/local/lsws/conf/httpd_config.conf': OLS_MAIN,
  '/usr/local/lsws/conf/vhosts/shop.example/vhost.conf': `docRoot                   $VH_ROOT/public_html
vhDomain                  $VH_NAME
vhAliases                 www.$VH_NAME
errorlog $VH_ROOT/logs/$VH_NAME.error_log {
  useServer               0
}
accesslog $VH_ROOT/logs/$VH_NAME.access_log {
  logFormat               "%h %l %u %t \\"%r\\" %>s %b \\"%{Referer}i\\" \\"%{User-Agent}i\\""
}
scripthandler  {
  add                     lsapi:shop1234 php
}
extprocessor shop1234 {
  type                    lsapi
  address                 UDS://tmp/lshttpd/shop1234.sock
  path                    /usr/local/lsws/lsphp82/bin/lsphp
  extUser                 shop1234
}
rewrite  {
  enable                  1
  autoLoadHtaccess        1
  rules                   <<<END_rules
RewriteCond %{REQUEST_URI} ^/a{
RewriteRule ^/} /x{
docRoot /wrong
  END_rules
}
vhssl  {
  keyFile                 /etc/letsencrypt/live/shop.example/privkey.pem
  certFile                /etc/letsencrypt/live/shop.example/fullchain.pem
}`,
  '/usr/local/lsws/conf/templates/docker.conf': `allowSymbolLink           1
enableScript              1
vhRoot                    /var/www/vhosts/$VH_NAME/
configFile                $SERVER_ROOT/conf/vhosts/$VH_NAME/vhconf.conf

virtualHostConfig  {
  docRoot                 $VH_ROOT/html/
  enableGzip              1
  index  {
    useServer             0
    indexFiles            index.html, index.php
  }
  rewrite  {
    enable                1
  }
}`,
  '/usr/local/lsws/conf/more/node.conf': `virtualhost node {
  vhRoot /srv/node
  configFile conf/vhosts/node.conf
}
listener More {
  address [ANY]:80
  map node node.example
}`,
  '/usr/local/lsws/conf/vhosts/node.conf': `docRoot $VH_ROOT/html
extprocessor app {
  type                    proxy
  address                 http://127.0.0.1:3001
}
context / {
  type                    proxy
  handler                 app
}`,
}

test('OpenLiteSpeed: virtual hosts, members of templates, and a proxy', async () => {
  expect(await served(OLS, LITESPEED)).toEqual([
    'shop.example shop.example,www.shop.example /home/shop.example/public_html 8.2',
    'node.example node.example 127.0.0.1:3001 -',
    'blog.example blog.example,www.blog.example /var/www/vhosts/blog.example/html 8.3',
    'forum.example forum.example /srv/forum/html 8.3',
    '- _ /var/www/vhosts/localhost/html 8.3',
  ])
})

test("LiteSpeed Enterprise reads Apache's files", async () => {
  const files = {
    '/usr/local/lsws/conf/httpd_config.xml':
      '<httpServerConfig><loadApacheConf>1</loadApacheConf></httpServerConfig>',
    '/etc/apache2/conf/httpd.conf': `Listen 80
<VirtualHost 203.0.113.1:80>
  ServerName a.example
  DocumentRoot /home/a/public_html
</VirtualHost>`,
  }
  expect(await served(files, 'litespeed (lshttpd - main)')).toEqual([
    'a.example a.example /home/a/public_html -',
  ])
})
