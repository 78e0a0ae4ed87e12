import { expect, test } from 'bun:test'
import { listServed } from '#agent/features/existing/vhosts.ts'
import { fakeHost } from '#tests/support/fake-host.ts'

/** Names, folder and PHP of each site, or what is unknown. */
async function served(
  program: { path: string; line: string },
  text: string,
  folders: readonly string[] = [],
) {
  const host = fakeHost()
  await host.disk.write(program.path, text)
  for (const folder of folders) await host.disk.write(`${folder}/index.php`, '')
  const found = await listServed(host, [{ pid: 7, root: true, line: program.line }])
  return found.map(({ names, docroot, php, unknown }) =>
    [
      names.join(','),
      docroot || '-',
      php.address || '-',
      ...Object.entries(unknown).map((entry) => entry.join('=')),
    ].join(' '),
  )
}

const NGINX = { path: '/etc/nginx/nginx.conf', line: 'nginx: master process /usr/sbin/nginx' }
const APACHE = { path: '/etc/apache2/apache2.conf', line: '/usr/sbin/apache2 -k start' }
const SOCKET = 'location ~ \\.php$ { fastcgi_pass unix:/run/php/fpm.sock; }'

test.each([
  [
    'any name, by $host',
    `server { listen 80 default_server; server_name _; root /srv/sites/$host/public; ${SOCKET} }`,
    ['/srv/sites/a.example/public', '/srv/sites/b.example/public', '/srv/sites/lost+found/x'],
    [
      'a.example /srv/sites/a.example/public /run/php/fpm.sock',
      'b.example /srv/sites/b.example/public /run/php/fpm.sock',
      '_ - /run/php/fpm.sock docroot=computed',
    ],
  ],
  [
    'below a domain, by $host',
    'server { listen 80; server_name *.any.example; root /srv/hosts/$host; }',
    ['/srv/hosts/a.any.example', '/srv/hosts/other.example'],
    ['a.any.example /srv/hosts/a.any.example -', '*.any.example - - docroot=computed'],
  ],
  [
    'an expression with and without www',
    'server { listen 80; server_name ~^(www\\.)?(?<domain>.+)$; root /sites/$domain/htdocs; }',
    ['/sites/shop.example/htdocs', '/sites/shop.example.old~/htdocs'],
    [
      'shop.example,www.shop.example /sites/shop.example/htdocs -',
      '~^(www\\.)?(?<domain>.+)$ - - docroot=computed',
    ],
  ],
  [
    'an expression of a first label',
    'server { listen 80; server_name ~^(?<user>[a-z0-9-]+)\\.host\\.example$; root /home/$user/web; }',
    ['/home/anna/web', '/home/bob/web'],
    [
      'anna.host.example /home/anna/web -',
      'bob.host.example /home/bob/web -',
      '~^(?<user>[a-z0-9-]+)\\.host\\.example$ - - docroot=computed',
    ],
  ],
  [
    'a numbered group of an expression',
    'server { listen 80; server_name ~^(.*)\\.host\\.example$; root /home/$1/web; }',
    ['/home/anna/web'],
    ['anna.host.example /home/anna/web -', '~^(.*)\\.host\\.example$ - - docroot=computed'],
  ],
  [
    'a base folder in a variable, and a socket for each site',
    `server { listen 80; server_name _; set $base /srv/$host; root $base/web;
      location ~ \\.php$ { fastcgi_pass unix:/run/php/$host.sock; } }`,
    ['/srv/a.example/web'],
    ['a.example /srv/a.example/web /run/php/a.example.sock', '_ - - docroot=computed php=computed'],
  ],
  [
    'a map of the names',
    `map $host $folder { default /srv/none; a.example /srv/one; www.a.example /srv/one; b.example /srv/two; }
     server { listen 80 default_server; server_name _; root $folder; }`,
    [],
    ['a.example,www.a.example /srv/one -', 'b.example /srv/two -', '_ - - docroot=computed'],
  ],
  [
    'a site with a server of its own, and a more specific wildcard',
    `server { listen 80 default_server; server_name _; root /srv/$host; }
     server { listen 80; server_name a.example; root /other/a; }
     server { listen 80; server_name *.b.example; root /other/b; }`,
    ['/srv/a.example', '/srv/x.b.example', '/srv/c.example'],
    [
      'a.example /other/a -',
      'c.example /srv/c.example -',
      '_ - - docroot=computed',
      '*.b.example /other/b -',
    ],
  ],
  [
    'a variable that says nothing of the site',
    'server { listen 80; server_name _; root /srv/$cookie_version; }',
    ['/srv/a.example'],
    ['_ - - docroot=computed'],
  ],
])('nginx: %s', async (_, text, folders, expected) => {
  expect(await served(NGINX, `http { ${text} }`, folders)).toEqual(expected)
})

test.each([
  [
    'whole names',
    'VirtualDocumentRoot /srv/vhosts/%0/htdocs',
    ['/srv/vhosts/a.example/htdocs', '/srv/vhosts/www.b.example/htdocs'],
    [
      'a.example /srv/vhosts/a.example/htdocs -',
      'www.b.example /srv/vhosts/www.b.example/htdocs -',
    ],
  ],
  [
    'first labels below a wildcard',
    'ServerName all.example\nServerAlias *.host.example\nVirtualDocumentRoot /home/%1/www',
    ['/home/anna/www'],
    ['all.example /home/all/www -', 'anna.host.example /home/anna/www -'],
  ],
  [
    'the rest of a name',
    'ServerAlias *\nVirtualDocumentRoot "/srv/%1+/web"',
    ['/srv/a.example/web'],
    ['a.example /srv/a.example/web -'],
  ],
  [
    'a character of a name',
    'ServerAlias *\nVirtualDocumentRoot /srv/%1.1/%1',
    ['/srv/a.example'],
    [],
  ],
])('Apache: %s', async (_, text, folders, expected) => {
  const config = `Listen 80\n<VirtualHost *:80>\n${text}\n</VirtualHost>`
  const found = await served(APACHE, config, folders)
  expect(found.filter((line) => !line.includes('docroot=computed'))).toEqual(expected)
})

test('finds as many sites as a server reports, and tries as many names as it may', async () => {
  const folders = Array.from({ length: 5100 }, (_, at) => `/srv/s${at}.example`)
  const any = 'server { listen 80; server_name _; root /srv/$host; }'
  const others = Array.from(
    { length: 300 },
    (_, at) => `server { listen 81; server_name *.x${at}.example; root /srv/$host; }`,
  )
  expect(await served(NGINX, `http { ${any} }`, folders)).toHaveLength(5000 + 1)
  expect(await served(NGINX, `http { ${any} ${others.join(' ')} }`, folders)).toHaveLength(301)
}, 60_000)
