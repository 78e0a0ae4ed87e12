import { shellKeysOf, shellOf } from '#agent/features/access/shell/shell.ts'
import { type EffectiveSettings, effectiveSettings } from '#agent/features/access/ssh/effective.ts'
import {
  groupSteps,
  installSteps,
  refuseUnconfined,
  refuseWithoutSshd,
  sftpOf,
  shellSessionOf,
  sshdSteps,
} from '#agent/features/access/ssh/sshd.ts'
import { isFrozen } from '#agent/features/web/vhost-files.ts'
import { deferred } from '#agent/kernel/effects/change.ts'
import { run } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { packagesInstalled } from '#agent/kernel/packages/packages.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { findSite, getSite, type Site, siteRecord } from '#agent/kernel/site/sites.ts'
import { command, line, type Step } from '#agent/kernel/steps/command.ts'
import type { SiteAccessReport } from '#shared/access/site.access.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { NEEDS, refuseUnmet } from '#shared/kernel/needs.ts'
import { omit } from '#shared/kernel/omit.ts'
import { accessOf } from './access.ts'
import { isAccessInPlace, onlyRemovesAccess, removesAccess } from './access-changes.ts'
import {
  clientAccountSteps,
  clientPasswordSteps,
  clientSessions,
  undoableClientSteps,
} from './client-steps.ts'
import { fingerprintOf, grantsOf } from './keys.ts'
import { reportedClients } from './list.ts'
import { SFTP_GROUP } from './paths.ts'
import { endSessions } from './sessions.ts'
import { hasShell, SHELL_GROUP, shellAccountOf } from './shell-account.ts'

/** The record decides who may log in; until it is written every undo restores the old access. */
export const siteAccess = command('site.access', {
  lock: onSite.lock,
  check: async () => ({ isRestarted: false }),
  async find({ domain }, host) {
    const site = await findSite(host, domain)
    return site && { isRestarted: true }
  },
  steps: async ({ params, host, isRestarted }) => [
    line(`Changing who may log in to ${params.domain}`),
    ...(isRestarted ? await undoableSteps(params, host) : await accessSteps(params, host)),
  ],
  result: async ({ params, host }) => reportOf(host, await getSite(host, params.domain)),
})

/** Returns where to connect, the keys of the server, and who may log in. */
async function reportOf(host: Host, site: Site): Promise<SiteAccessReport> {
  const { domain, user, access = [] } = site
  const settings = await effectiveSettings(host, user).catch((): EffectiveSettings => new Map())
  const ports = (settings.get('port') ?? []).map(Number).filter((port) => port > 0)
  const host_keys = await hostKeys(host, settings)
  const shell_user = hasShell(site) ? shellAccountOf(user) : null
  const clients = await reportedClients(host, site)
  return { domain, user, shell_user, ports, host_keys, grants: grantsOf(access), clients }
}

async function hostKeys({ files }: Host, settings: EffectiveSettings) {
  const texts = await Promise.all(
    (settings.get('hostkey') ?? []).map((path) => files.read(`${path}.pub`)),
  )
  return texts.flatMap((text = '') => {
    const [type = '', blob = ''] = text.split(' ')
    return blob === '' ? [] : [{ type: type.slice(0, 64), fingerprint: fingerprintOf(blob) }]
  })
}

type AccessParams = ParamsOf<'site.access'>

/**
 * The access is in place before sshd is asked how it treats the user: no key is valid until then.
 * sshd is asked about the shell account before that has a key.
 */
async function accessSteps(params: AccessParams, host: Host): Promise<Step[]> {
  const site = await getSite(host, params.domain)
  const wants = hasShell({ access: params.grants })
  const takes = await onlyRemovesAccess(host, params)
  const after = wants || hasShell(site) ? [shellKeyStep(params, host, !takes)] : []
  const end = hasShell(site) && !wants ? [shellStep(params, host)] : []
  const others = [...after, sessionStep(params, host), ...end, recordStep(params, host)]
  const clients = await clientAccountSteps(params, host)
  const passwords = clientPasswordSteps(params, host, !takes)
  const isEmpty = params.grants.length + params.clients.length === 0
  if (takes || isEmpty) return [keyStep(params, host), ...clients, ...passwords, ...others]
  await refuseUnready(params, host)
  return [
    ...(await installSteps(host)),
    ...(wants && params.install ? await toolSteps(host) : []),
    ...(params.grants.length > 0 ? await groupSteps(host, SFTP_GROUP) : []),
    ...(wants ? await groupSteps(host, SHELL_GROUP) : []),
    keyStep(params, host),
    ...clients,
    ...(wants ? [shellStep(params, host)] : []),
    ...(await sshdSteps(host, sessionsOf(site, params))),
    ...passwords,
    ...others,
  ]
}

async function refuseUnready(params: AccessParams, host: Host): Promise<void> {
  if (await isFrozen(host, params.domain))
    throw conflict(`${params.domain} is frozen while it moves`)
  if (hasShell({ access: params.grants })) refuseUnmet(NEEDS.shell, host)
  await refuseWithoutSshd(host, params.install)
}

const sessionsOf = (site: Site, params: AccessParams) => [
  ...(params.grants.length > 0 ? [sftpOf(site.user)] : []),
  ...(hasShell({ access: params.grants }) ? [shellSessionOf(site.user)] : []),
  ...clientSessions(site, params),
]

const undoableSteps = async (params: AccessParams, host: Host): Promise<Step[]> => [
  keyStep(params, host),
  ...undoableClientSteps(params, host),
  shellStep(params, host),
  ...(await sshdSteps(host)),
  shellKeyStep(params, host),
  sessionStep(params, host),
  recordStep(params, host),
]

/** Returns the record, which has no such field without access, as before the first one. */
function withAccess(recorded: Site, { grants, clients }: AccessParams): Site {
  return {
    ...omit(recorded, 'access', 'clients'),
    ...(grants.length > 0 && { access: grants }),
    ...(clients.length > 0 && { clients }),
  }
}

const recordedOf = ({ domain }: AccessParams, host: Host) => getSite(host, domain)
const targetOf = async (params: AccessParams, host: Host) =>
  withAccess(await recordedOf(params, host), params)

function keyStep(params: AccessParams, host: Host): Step {
  const steady = host.steady ?? host
  return {
    name: 'keys',
    title: 'Writing the keys of people',
    ...deferred(async () => accessOf(host, await targetOf(params, host))),
    undo: async () => accessOf(steady, await recordedOf(params, steady)).apply(),
  }
}

/** `shellStep` runs before the keys of the shell are written, or after they are removed. */
function shellStep(params: AccessParams, host: Host): Step {
  const steady = host.steady ?? host
  const wants = hasShell({ access: params.grants })
  return {
    name: 'shell',
    title: wants ? 'Preparing the shell of the site' : 'Removing the shell of the site',
    ...deferred(async () => shellOf(host, await targetOf(params, host))),
    undo: async () => shellOf(steady, await recordedOf(params, steady)).apply(),
  }
}

function shellKeyStep(params: AccessParams, host: Host, checked = true): Step {
  const steady = host.steady ?? host
  const change = deferred(async () => shellKeysOf(host, await targetOf(params, host)))
  return {
    name: 'shell keys',
    title: 'Writing the keys of people with a shell',
    effects: change.effects,
    async apply() {
      const { user, access } = await targetOf(params, host)
      if (checked && hasShell({ access })) await refuseUnconfined(host, [shellSessionOf(user)])
      await change.apply()
    },
    undo: async () => shellKeysOf(steady, await recordedOf(params, steady)).apply(),
  }
}

const sessionStep = (params: AccessParams, host: Host): Step => ({
  name: 'sessions',
  title: 'Ending sessions without access',
  effects: async () => ((await removesAccess(host, params)) ? [run('stop', 'SSH sessions')] : []),
  async apply() {
    if (await removesAccess(host, params))
      await endSessions(host, (await recordedOf(params, host)).user)
  },
})

const recordStep = (params: AccessParams, host: Host): Step => ({
  name: 'record',
  title: 'Recording the access',
  ...deferred(async () => siteRecord(host, await targetOf(params, host))),
  decided: async () => isAccessInPlace(await recordedOf(params, host), params),
})

/** The tools of people, in addition to wp-cli, PHP and the database client of the server. */
const TOOLS: Record<string, string> = {
  git: '/usr/bin/git',
  composer: '/usr/bin/composer',
  rsync: '/usr/bin/rsync',
}

async function missingTools({ files }: Host): Promise<string[]> {
  const found = await Promise.all(
    Object.entries(TOOLS).map(async ([name, path]) => [name, await files.stat(path)] as const),
  )
  return found.filter(([, stat]) => !stat).map(([name]) => name)
}

/** Returns the step that installs the tools of a shell; none if they are installed. */
async function toolSteps(host: Host): Promise<Step[]> {
  const names = await missingTools(host)
  if (names.length === 0) return []
  return [
    {
      name: 'shell tools',
      title: `Installing ${names.join(', ')}`,
      ...packagesInstalled(host, names, 'install'),
    },
  ]
}
