import type { Host } from '#tests/support/lab/index.ts'
import { type Suite, suites } from '#tests/support/lab/suites.ts'
import { php, putSite } from './sites.ts'

const WILD = (pass: string) => `server {
    listen 80;
    server_name *.wild.test ~^re[0-9]+\\.test$;
    root /var/www/wild;
    index index.php;
${php(pass)}
}
server {
    listen 443 ssl;
    server_name tls.wild.test;
    root /var/www/wild;
    index index.php;
    ssl_certificate /etc/nginx/wild.pem;
    ssl_certificate_key /etc/nginx/wild.key;
${php(pass)}
}
`

const OVERRIDE = '[Service]\nRestart=no\nLimitNOFILE=2048\n'

/**
 * A server with Debian's defaults: the pool www on its socket, pages in /var/www/html, a site with
 * a wildcard and a certificate, jobs, and an administrator's settings for units, apt and MariaDB.
 */
export async function prepareDefaults(host: Host, suite: Suite): Promise<void> {
  const { php: version } = suites[suite]
  await putSite(host, 'html', '/var/www/html')
  await putSite(host, 'wild')
  await host.must(['mariadb'], {
    input: `CREATE DATABASE legacy; CREATE TABLE legacy.words (text VARCHAR(20));
INSERT INTO legacy.words VALUES ('from MariaDB');
CREATE USER legacy@localhost IDENTIFIED BY 'legacy'; GRANT ALL ON legacy.* TO legacy@localhost;`,
  })
  const key = ['-keyout', '/etc/nginx/wild.key', '-out', '/etc/nginx/wild.pem', '-days', '30']
  const subject = ['-subj', '/CN=tls.wild.test', '-nodes', '-newkey', 'rsa:2048']
  await host.must(['openssl', 'req', '-x509', ...subject, ...key])
  await host.put('/etc/nginx/sites-enabled/wild', WILD(`unix:/run/php/php${version}-fpm.sock`))
  await host.put('/etc/systemd/system/nginx.service.d/99-ours.conf', OVERRIDE)
  await host.put('/etc/systemd/system/cron.service.d/00-ours.conf', OVERRIDE)
  await host.put('/etc/mysql/mariadb.conf.d/60-ours.cnf', '[mariadbd]\nmax_connections = 33\n')
  await host.put('/etc/apt/apt.conf.d/50unattended-ours', 'Unattended-Upgrade::Mail "ops";\n')
  await host.put('/etc/cron.d/ours', '* * * * * root touch /run/ours\n')
  await host.must(['systemctl', 'daemon-reload'])
  await host.must(['systemctl', 'restart', 'mariadb.service', 'cron.service'])
  await host.must(['systemctl', 'disable', '--now', 'apache2.service'])
  await host.must(['systemctl', 'restart', 'nginx.service'])
}

/** A foreign Apache on nginx's ports, with its own site. */
export async function serveByApache(host: Host): Promise<void> {
  await host.must(['systemctl', 'stop', 'nginx.service'])
  await host.must(['systemctl', 'start', 'apache2.service'])
}

export async function serveByNginx(host: Host): Promise<void> {
  await host.must(['systemctl', 'stop', 'apache2.service'])
  await host.must(['systemctl', 'start', 'nginx.service'])
}
