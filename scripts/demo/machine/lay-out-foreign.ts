import { addUser } from '#agent/kernel/host/simulated/programs/users.ts'
import { certificateFolder } from '#agent/kernel/site/paths.ts'
import type { SitePlan } from '#scripts/demo/fleet/plan.ts'
import { type Certificates, layDatabase, layHome } from './lay-out-site.ts'
import type { Machine } from './machine.ts'

export const foreignHome = (domain: string) => `/var/www/${domain}`

/** Lays out a manually created site: Debian's own pool, files below /var/www. */
export function layOutForeign(machine: Machine, plan: SitePlan, certificates: Certificates): void {
  const { disk } = machine
  const { domain, user, php } = plan
  const home = foreignHome(domain)
  layHome(machine, plan, home)
  layDatabase(machine, plan)
  addUser(machine, { user, comment: '' })
  const pool = `[${user}]\nuser = ${user}\nlisten = /run/php/${user}.sock\npm.max_children = 5\n`
  disk.putText(`/etc/php/${php}/fpm/pool.d/${user}.conf`, pool)
  const pem = certificates.get(plan.certificate) ?? ''
  disk.putText(`${certificateFolder(domain)}/fullchain.pem`, pem)
  disk.putText(`/etc/nginx/sites-enabled/${domain}.conf`, vhostOf(plan, `${home}/public`))
}

function vhostOf({ domain, user, tls }: SitePlan, root: string): string {
  const certificate = `${certificateFolder(domain)}/fullchain.pem`
  const secure = tls === 'none' ? '' : `    listen 443 ssl;\n    ssl_certificate ${certificate};\n`
  return `server {
    listen 80;
${secure}    server_name ${domain} www.${domain};
    root ${root};
    location ~ \\.php$ {
        fastcgi_pass unix:/run/php/${user}.sock;
    }
}
`
}

/** Lays out servers without a domain: previews, and the default server. */
export function layOutUnnamed({ disk, plan }: Machine): void {
  if (plan.role !== 'foreign') return
  const served = (name: string, root: string) =>
    `server {\n    listen 80;\n    server_name ${name};\n    root ${root};\n}\n`
  const folder = '/etc/nginx/sites-enabled'
  disk.putText('/var/www/html/index.html', '<p>It works</p>')
  disk.putText('/var/www/preview/index.html', '<p>Preview</p>')
  disk.putText(`${folder}/000-default`, served('_', '/var/www/html'))
  disk.putText(`${folder}/zz-previews`, served('*.preview.example', '/var/www/preview'))
}
