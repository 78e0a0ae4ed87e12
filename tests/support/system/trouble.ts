import * as lab from '#tests/support/lab/index.ts'
import { startLayoutHost } from '#tests/support/system/layouts/host.ts'

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

const FUSE = '/dev/fuse'

/** A file system whose server never answers, as on a lost network. */
const HANG = `
exec 3<>${FUSE}
mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0,allow_other hung "$1"
exec sleep infinity
`

interface Site {
  domain: string
  framework: string
  unknown: Record<string, string>
}

/** A server with many sites and an agent on plain HTTP. */
export type Crowded = Awaited<ReturnType<typeof startCrowded>>

export async function startCrowded(sites: number) {
  const host = await startLayoutHost({ binds: [{ from: FUSE, to: FUSE }] })
  await host.must(['bash', '-eu', '-c', FILL, 'fill', String(sites)], { timeout_ms: 300_000 })
  await host.must(['systemctl', 'restart', 'nginx', 'php8.2-fpm', 'mariadb'])

  const ask = async (path: string, options: readonly string[] = []) => {
    const start = performance.now()
    const url = `http://127.0.0.1:8440${path}`
    const body = await host.must(['curl', '-sSf', '--max-time', '60', ...options, url])
    return { body, ms: performance.now() - start }
  }
  return {
    host,
    ask,
    /** Sites by framework, sites with an unknown framework and why, and the duration. */
    async sites() {
      const { body, ms } = await ask('/sites')
      const { sites } = JSON.parse(body) as { sites: Site[] }
      const counts: Record<string, number> = {}
      for (const { framework, unknown } of sites) {
        const key = unknown.framework ?? framework
        counts[key] = (counts[key] ?? 0) + 1
      }
      return { counts, ms }
    },
    /** The last event of a scan of one site. */
    async scan(domain: string) {
      const json = ['-H', 'content-type: application/json', '-d', JSON.stringify({ domain })]
      const { body, ms } = await ask('/sites/wp-scan', json)
      return { event: /^event: (\w+)$(?![\s\S]*^event: )/m.exec(body)?.[1], ms }
    },
    /** All files below a folder hang until the returned function is called. */
    async hang(folder: string): Promise<() => Promise<void>> {
      const server = host.spawn(['bash', '-eu', '-c', HANG, 'hang', folder])
      const mounted = async () =>
        (await host.must(['cat', '/proc/mounts'])).includes(` ${folder} fuse`)
      await lab.poll(mounted, { timeout_ms: 10_000 })
      return async () => {
        await server.stop('SIGKILL')
        await host.must(['umount', '--lazy', folder])
      }
    },
  }
}
