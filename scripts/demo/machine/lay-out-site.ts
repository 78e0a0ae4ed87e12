import {
  configOf,
  fpmService,
  poolFolderOf,
  renderIni,
  renderPool,
  socketOf,
  socketUnitPathOf,
  unitPathOf,
  wantsPathOf,
} from '#agent/features/php/fpm-files.ts'
import { renderSlice, renderSocket, renderUnit } from '#agent/features/php/fpm-units.ts'
import { renderVhost } from '#agent/features/web/vhost.ts'
import { accountOf } from '#agent/kernel/database/account.ts'
import { EMPTY, file, folder, link } from '#agent/kernel/host/simulated/nodes.ts'
import { startUnit } from '#agent/kernel/host/simulated/programs/services.ts'
import { addUser } from '#agent/kernel/host/simulated/programs/users.ts'
import { SETTINGS } from '#agent/kernel/host/simulated/settings.ts'
import { slicePathOf } from '#agent/kernel/services/systemd.ts'
import { certificateFolder, homeOf, logsOf, trashOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { tierLimitsOn } from '#agent/kernel/site/tiers.ts'
import type { SitePlan } from '#scripts/demo/fleet/plan.ts'
import { DAY_MS, stamp } from '#scripts/demo/time.ts'
import { NO_DNS } from './authority.ts'
import type { Machine } from './machine.ts'
import { keepDump } from './programs/database.ts'
import { versionOf } from './programs.ts'

/** The certificates are PEM texts, by remaining days, `self`, and the key of all. */
export type Certificates = ReadonlyMap<number | 'self' | 'key', string>

/** Lays out the result of `site.create`, without running it: thousands of sites take a second. */
export function layOutSite(machine: Machine, plan: SitePlan, certificates: Certificates): void {
  const { user, domain } = plan
  const record = `${JSON.stringify(siteOf(plan), null, 2)}\n`
  const place = plan.place === 'trashed' ? 'trash' : 'sites'
  machine.disk.putText(`${SETTINGS.state_dir}/${place}/${domain}.json`, record, { mode: 0o600 })
  machine.sizes.set(user, plan.size)
  if (plan.unresolved) machine.unresolved.add(domain)
  addUser(machine, { user, comment: `Site ${domain}`, member: 'www-data' })
  layCertificate(machine, plan, certificates)
  if (plan.place === 'trashed') layTrashed(machine, plan)
  else layServed(machine, plan)
}

function layServed(machine: Machine, plan: SitePlan): void {
  layHome(machine, plan, homeOf(plan.user))
  layDatabase(machine, plan)
  layServices(machine, plan)
}

function siteOf({ domain, php, tier, tls, email, user, staging_of: of }: SitePlan): Site {
  const staging = of === undefined ? {} : { staging: { of, ...STAGING } }
  return { domain, php, tier, tls, email, user, ...staging }
}

/** The hash is that of no password: nobody visits a site of the demo. */
const STAGING = { user: 'staging', password_hash: `{SSHA}${'demo'.repeat(10)}` }

function layHome({ disk }: Machine, plan: SitePlan, path: string): void {
  const { kit, user } = plan
  const config = file(() => configText(plan), { mode: 0o600, owner: user })
  disk.put(path, folder())
  disk.put(`${path}/public`, folder(kit.core_files, { mode: 0o750, owner: user }))
  disk.put(`${path}/public/wp-config.php`, config)
  disk.put(`${path}/public/wp-content`, kit.content)
  for (const name of ['logs', 'tmp', 'sessions']) disk.put(`${path}/${name}`, EMPTY)
  disk.put(logsOf(user), EMPTY)
}

function layDatabase({ databases, mariadb }: Machine, plan: SitePlan): void {
  const bytes = Math.round(plan.size / 12)
  databases.set(plan.user, { kit: plan.kit, broken: plan.broken, bytes })
  mariadb.addAccount(plan.user)
}

function layServices(machine: Machine, plan: SitePlan): void {
  const { disk } = machine
  const { user, php, domain } = plan
  const pool = { user, php }
  const limits = () => tierLimitsOn(plan.tier, machine.plan)
  disk.putText(configOf(pool), () => renderPool(pool, limits(), 'systemd'))
  disk.putText(`${poolFolderOf(pool)}/hosting.ini`, () => renderIni(limits()))
  disk.putText(slicePathOf(user), () => renderSlice(user, limits()))
  disk.putText(unitPathOf(pool), () => renderUnit(pool))
  disk.putText(socketUnitPathOf(pool), () => renderSocket(pool))
  disk.put(wantsPathOf(pool), link(unitPathOf(pool)))
  const available = `/etc/nginx/sites-available/hosting-${domain}.conf`
  disk.putText(available, () => vhostText(machine, plan))
  disk.put(`/etc/nginx/sites-enabled/hosting-${domain}.conf`, link(available))
  const { unit } = fpmService(pool)
  if (plan.stopped) machine.failed.add(unit)
  else startUnit(disk, unit)
}

/** Lays out home, dump, account and facts, as `site.delete` leaves them. */
function layTrashed(machine: Machine, plan: SitePlan): void {
  const { user } = plan
  const folder = trashOf(user)
  layHome(machine, plan, `${folder}/home`)
  const bytes = Math.round(plan.size / 12)
  keepDump(machine, user, `${folder}/database.sql`, { kit: plan.kit, broken: false, bytes })
  const account = JSON.stringify([`CREATE USER ${accountOf(user)}`])
  machine.disk.putText(`${folder}/account.json`, `${account}\n`, { mode: 0o600 })
  const deleted_at = stamp(machine.time.now() - trashedDays(plan) * DAY_MS)
  const facts = JSON.stringify({ deleted_at, size: plan.size })
  machine.disk.putText(`${folder}/facts.json`, `${facts}\n`, { mode: 0o600 })
}

/** Returns how long a site of the plan has been in the trash. */
export const trashedDays = ({ age }: SitePlan): number => Math.min(age / 2, 4)

function layCertificate({ disk, time }: Machine, plan: SitePlan, certificates: Certificates): void {
  if (plan.tls === 'none') return
  if (plan.certificate === 0) {
    layRefused(disk, plan, time.now())
    return
  }
  const pem = certificates.get(plan.tls === 'self-signed' ? 'self' : plan.certificate) ?? ''
  disk.putText(`${certificateFolder(plan.domain)}/fullchain.pem`, pem, { mode: 0o600 })
  const key = certificates.get('key') ?? ''
  disk.putText(`${certificateFolder(plan.domain)}/privkey.pem`, key, { mode: 0o600 })
}

/** Notes a refused certificate in the form of the agent's record. */
function layRefused(disk: Machine['disk'], { domain }: SitePlan, now: number): void {
  const path = `${SETTINGS.state_dir}/certificate-tries.json`
  const before = JSON.parse(disk.text(path) ?? '{}')
  const reason = `The certificate for ${domain} was refused: ${NO_DNS}`
  const next_at = stamp(now + 47 * 60_000)
  disk.putText(path, JSON.stringify({ ...before, [domain]: { failures: 4, reason, next_at } }))
}

function vhostText(machine: Machine, plan: SitePlan): string {
  const certificates = certificateFolder(plan.domain)
  const certificate = {
    fullchain: `${certificates}/fullchain.pem`,
    privkey: `${certificates}/privkey.pem`,
    self_signed: plan.tls === 'self-signed',
  }
  return renderVhost({
    site: siteOf(plan),
    socket: socketOf(plan),
    limits: tierLimitsOn(plan.tier, machine.plan),
    abilities: { ipv6: false, http2_directive: versionOf(machine) >= '1.25.1' },
    certificate: plan.tls === 'none' || plan.certificate === 0 ? undefined : certificate,
  })
}

function configText({ user, prefix }: SitePlan): string {
  return `<?php
define( 'DB_NAME', '${user}' );
define( 'DB_USER', '${user}' );
define( 'DB_PASSWORD', 'demo-${prefix.repeat(4)}' );
define( 'DB_HOST', 'localhost' );
$table_prefix = '${prefix}';
require_once __DIR__ . '/wp-settings.php';
`
}

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
