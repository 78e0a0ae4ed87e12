import {
  loadTables,
  readReplacedTables,
  recordReplacedTables,
  restoreTables,
} from '#agent/features/backups/chosen/tables.ts'
import { chosenIn, dumpIn, fetchedOf, replacedOf } from '#agent/features/backups/paths.ts'
import {
  pauseSiteSteps,
  resumeSiteSteps,
  startSiteSteps,
} from '#agent/features/backups/pause-site.ts'
import { replacedFolderStep, saveDatabaseStep } from '#agent/features/backups/previous-state.ts'
import { writeReport } from '#agent/features/copies/clone/report.ts'
import { restoreConfig, rewriteConfig } from '#agent/features/copies/rename/config.ts'
import { countChangesIn } from '#agent/features/copies/rename/count-changes.ts'
import { newNames, type Renaming, servingBoth } from '#agent/features/copies/rename/renaming.ts'
import { prepareFetched } from '#agent/features/copies/staging/files.ts'
import { orderCertificate } from '#agent/features/domains/acme.ts'
import { missingNames, needsRenewal } from '#agent/features/domains/certificate-coverage.ts'
import { provePair } from '#agent/features/domains/handshake.ts'
import { provideEffects } from '#agent/features/domains/plan-issue.ts'
import {
  describeLeftOut,
  type LeftOutName,
  publishToken,
} from '#agent/features/domains/probe-names.ts'
import { CertificateRefused } from '#agent/features/domains/refusals.ts'
import { selfSigned } from '#agent/features/domains/self-signed.ts'
import * as nginx from '#agent/features/web/nginx.ts'
import { namesTakenOver } from '#agent/features/web/nginx-servers.ts'
import { removeFormerVhost, switchDomain } from '#agent/features/web/switch-domain.ts'
import { availablePath } from '#agent/features/web/vhost-files.ts'
import { findLink } from '#agent/features/web/vhost-link.ts'
import { schemeOf } from '#agent/features/wordpress/addresses/addresses.ts'
import { loadDump } from '#agent/features/wordpress/addresses/load.ts'
import { complaintOf, runWpCli } from '#agent/features/wordpress/wp-cli.ts'
import { endTemporaryOf } from '#agent/kernel/database/temporary-accounts.ts'
import { deferred, removedTree } from '#agent/kernel/effects/change.ts'
import { change, create, remove, run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import * as files from '#agent/kernel/site/certificate-files.ts'
import { certificateFolder, docrootOf } from '#agent/kernel/site/paths.ts'
import { findSite, removeSite, type Site, siteRecord, writeSite } from '#agent/kernel/site/sites.ts'
import { type Progress, type Step, stepResult } from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { isCovered } from '#shared/kernel/names.ts'
import { allNamesOf } from '#shared/kernel/site-names.ts'
import { flushStep } from './push-steps.ts'
import { followingSteps, leftOut, type RenameRun } from './rename-following.ts'

/**
 * Provides the certificate first, and prepares the content before the new name is served. One
 * record decides: before it everything is undone, after it the remaining steps follow.
 */
export function stepsOf(job: RenameRun): Step[] {
  const { host, former, target } = job
  return [
    ...nameSteps(job),
    ...pauseSiteSteps(host, former),
    ...contentSteps(job),
    {
      name: 'vhost',
      title: `Serving ${target.domain} instead of ${former.domain}`,
      effects: [
        create('file', availablePath(target.domain)),
        remove('file', availablePath(former.domain)),
      ],
      apply: () => switchDomain(host, former.domain, target),
      undo: () => serveFormer(host.steady ?? host, { former, target }),
    },
    ...startSiteSteps(host, target),
    {
      name: 'record',
      title: `Recording ${target.domain} as the primary domain`,
      effects: async () => [
        ...(await siteRecord(host, target).effects()),
        ...(await removeSite(host, former.domain, 'sites').effects()),
      ],
      async apply() {
        await refuseTakenDomain(host, target)
        await writeSite(host, target)
        await removeSite(host, former.domain, 'sites').apply()
      },
      undo: () => removeFormerRecord(host.steady ?? host, target),
      decided: async () => (await findSite(host, former.domain)) === undefined,
    },
    ...resumeSiteSteps(host, target),
    ...followingSteps(job),
  ]
}

/** Checks again: a site may have been created with this name meanwhile. */
async function refuseTakenDomain(host: Host, { domain, user }: Site): Promise<void> {
  const known = await findSite(host, domain)
  if (known && known.user !== user) throw conflict(`${domain} is a site of this server by now`)
}

async function serveFormer(host: Host, { former, target }: Renaming): Promise<void> {
  await switchDomain(host, target.domain, former)
  await removeFormerVhost(host, target.domain)
}

async function removeFormerRecord(host: Host, { domain, user }: Site): Promise<void> {
  const known = await findSite(host, domain)
  if (known?.user === user) await removeSite(host, domain, 'sites').apply()
}

/** Returns the steps after which the site answers at the new name, with a certificate for it. */
function nameSteps({ host, former, target, gives, warn }: RenameRun): Step[] {
  const renaming = { former, target }
  const steady = host.steady ?? host
  const certificate = () => nginx.certificateOf(host, former.domain)
  const names: Step = {
    name: 'names',
    title: `Serving ${target.domain} beside ${former.domain}`,
    ...deferred(async () => nginx.apply(host, servingBoth(renaming), await certificate())),
    imposes: () => namesTakenOver(host, newNames(renaming), renaming.former.domain),
    undo: nginx.serve(steady, former).apply,
  }
  const folder = certificateFolder(target.domain)
  const issue: Step = {
    name: 'certificate',
    title: `Providing a certificate for ${target.domain}`,
    effects: () => provideEffects(host, target),
    apply: gives(leftOut, async function* () {
      const names = yield* provideCertificate(host, former, target)
      const message = describeLeftOut(names)
      if (message !== undefined) warn({ code: 'certificate_refused', message })
      return names
    }),
    async undo() {
      // nginx does not start without a file that it reads; a later undo may have failed.
      if ((await findLink(steady, target.domain)) !== undefined)
        throw new Error(`nginx still reads ${target.domain}`)
      await removedTree(steady, 'folder', folder).apply()
    },
  }
  return [
    ...(newNames(renaming).length > 0 ? [names] : []),
    ...(target.tls === 'none' ? [] : [issue]),
  ]
}

const SECRET = { mode: 0o600 }
const MAX_PROBES = 50

/**
 * Puts a certificate for the new primary domain in its folder: a copy of the present one if that
 * has all names, else a new one. Nothing is served with it yet. Returns the names that are not in
 * it. Throws conflict with the code `certificate_refused`.
 */
async function* provideCertificate(
  host: Host,
  former: Site,
  target: Site,
): Progress<LeftOutName[]> {
  const { domain, tls } = target
  if (tls === 'none') return []
  if (await copyCurrentCertificate(host, former, target)) return []
  if (tls === 'self-signed') {
    yield 'Creating a self-signed certificate'
    await files.provideKey(host, files.privateKeyOf(domain))
    const chain = await selfSigned(host, target)
    await provePair(host, domain, chain)
    await files.installed(host, domain, chain).apply()
    return []
  }
  await awaitServing(host, domain)
  try {
    const { chain, left_out } = yield* orderCertificate(host, target)
    if (chain === undefined) throw new Error(`There is no certificate for ${domain}`)
    await provePair(host, domain, chain)
    await files.installed(host, domain, chain).apply()
    return left_out
  } catch (error) {
    if (!(error instanceof CertificateRefused)) throw error
    throw conflict(error.message, 'certificate_refused')
  }
}

async function copyCurrentCertificate(host: Host, former: Site, target: Site): Promise<boolean> {
  const served = await nginx.certificateOf(host, former.domain)
  if (!served || (await needsRenewal(host, former))) return false
  if ((await missingNames(host, former)).length > 0) return false
  const isIn = (name: string) => served.names?.some((written) => isCovered(name, written))
  if (!allNamesOf(target).every(isIn)) return false
  const [chain, key] = [
    await host.files.read(served.fullchain),
    await host.files.read(served.privkey),
  ]
  if (chain === undefined || key === undefined) return false
  await host.files.write(files.privateKeyOf(target.domain), key, SECRET)
  await files.installed(host, target.domain, chain).apply()
  return true
}

/** Waits until nginx serves the domain, a moment after the signal; then the authority may ask. */
async function awaitServing(host: Host, domain: string): Promise<void> {
  const token = host.random.text(32)
  const path = await publishToken(host, token, token)
  try {
    for (let tries = 0; tries < MAX_PROBES; tries++) {
      const asked = { host: domain, path: `/.well-known/acme-challenge/${token}` }
      const answer = await host.net.probe(asked).catch(() => undefined)
      if (answer?.status === 200 && answer.body === token) return
      await host.clock.sleep(100)
    }
  } finally {
    await host.files.remove(path)
  }
}

const rewritten = stepResult<string[]>('The addresses were not changed')

/** Changes the address in database and configuration while no program of the site runs. */
function contentSteps({ host, former, target, gives, get, warn }: RenameRun): Step[] {
  const { user } = target
  const steady = host.steady ?? host
  const [fetched, replaced] = [fetchedOf(user), replacedOf(user)]
  const tell = (message: string) => warn({ code: 'left_out', message })
  return [
    replacedFolderStep(host, user),
    saveDatabaseStep(host, user, tell, async (save) => {
      // Writes of a temporary user after the dump would be lost.
      await endTemporaryOf(host, user)
      await save()
    }),
    {
      name: 'rewrite',
      title: 'Changing the addresses in the saved database',
      effects: [create('folder', fetched)],
      apply: gives(rewritten, () => rewrite(host, { former, target })),
      undo: removedTree(steady, 'folder', fetched).apply,
    },
    {
      name: 'database',
      title: 'Replacing the tables with changed addresses',
      effects: [change('database', user)],
      async apply() {
        const names = get(rewritten)
        const chosen = { folder: fetched, tables: names, space: 'leave_some' } as const
        if (names.length > 0) await loadTables(host, target, chosen)
      },
      async undo() {
        if ((await readReplacedTables(steady, replaced))?.length)
          await restoreTables(steady, former, replaced, 'use_all')
      },
    },
    {
      name: 'config',
      title: 'Changing the address in configuration files',
      effects: [change('folder', docrootOf(user))],
      async *apply() {
        const files = await rewriteConfig(host, former, target)
        if (files.length > 0) yield `Changed ${files.join(', ')}`
      },
      undo: () => restoreConfig(steady, former, target),
    },
    {
      name: 'address',
      title: 'Checking the address of WordPress',
      effects: [run('program', 'wp eval')],
      apply: () => proveAddress(host, target),
    },
    flushStep(host, target),
  ]
}

/** Replaces only tables with changes. */
async function* rewrite(host: Host, { former, target }: Renaming): Progress<string[]> {
  const { user } = target
  const [fetched, replaced] = [fetchedOf(user), replacedOf(user)]
  const saved = dumpIn(replaced)
  const changes = await countChangesIn(host, saved, former, target)
  const changed = changes.tables.filter(({ columns }) => columns.length > 0)
  const names = changed.map(({ table }) => table)
  await recordReplacedTables(host, replaced, names)
  await prepareFetched(host, user)
  if (names.length > 0)
    await loadDump(host, saved, former, target, { path: chosenIn(fetched), tables: names })
  const { replaced: count, left } = changes
  const at = new Date(host.clock.now()).toISOString()
  const addresses = { replaced: count, left }
  await writeReport(host, user, { at, files: 0, bytes: 0, tables: names.length, addresses })
  yield `${count} addresses in ${names.length} tables`
  return names
}

/**
 * Starts WordPress without plugins and theme, and proves that it has its new address. Throws conflict
 * with the code `address_fixed` if something else than the database decides it.
 */
async function proveAddress(host: Host, site: Site): Promise<void> {
  const { domain } = site
  const address = `${schemeOf(site)}://${domain}`
  const code = `<?php
$hostOf = fn($name) => (string) parse_url((string) get_option($name), PHP_URL_HOST);
foreach (['siteurl', 'home'] as $name) {
  if ($hostOf($name) === '${domain}') continue;
  $path = parse_url((string) get_option($name), PHP_URL_PATH) ?: '';
  update_option($name, '${address}' . $path);
  if ($hostOf($name) !== '${domain}') WP_CLI::error("$name stays at " . $hostOf($name));
}
`
  const args = ['--skip-plugins', '--skip-themes', `--url=${address}`, 'eval-file', '-']
  const output = await runWpCli(host, site, args, code)
  if (output.code === 0) return
  throw conflict(
    `WordPress does not accept the address ${address}: ${complaintOf(output)}. Check WP_HOME and WP_SITEURL in wp-config.php`,
    'address_fixed',
  )
}
