import { dirname } from 'node:path'
import * as effects from '#agent/kernel/effects/effects.ts'
import { removeGenerated, replace } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onUnits } from '#agent/kernel/services/index.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import type { Effect } from '#shared/kernel/plan.ts'
import {
  FOLLOWER_FILES,
  FOLLOWER_LINKS,
  LATE_SERVICE,
  LATE_WATCH,
  SERVICE,
  STAGING,
  TIMER,
  WATCH,
} from './follower.ts'
import { ETC_FOLDERS } from './names.ts'
import { ACCOUNT_FILES, ACCOUNTS, linkOf, SHARED_ETC, SITE_ETC } from './places.ts'

/** Mount points of the server's folders; `hosting` is for the files of each site. */
const FOLDERS = [
  SITE_ETC,
  STAGING,
  ACCOUNTS,
  SHARED_ETC,
  ...[...ETC_FOLDERS, 'hosting'].map((name) => `${SHARED_ETC}/${name}`),
]
const LINKS = ACCOUNT_FILES.map((name) => ({ path: `${SHARED_ETC}/${name}`, target: linkOf(name) }))

/** The step that creates the /etc of sites, and its follower; none if they exist. */
export const sharedEtcSteps = onUnits(async (host): Promise<Step[]> => {
  const missing = await missingOn(host)
  if (missing.length === 0) return []
  const apply = () => makeSharedEtc(host)
  return [{ name: 'site etc', title: 'Preparing the /etc of sites', effects: missing, apply }]
}, [])

/** The same immediately, without steps. */
export async function provideSharedEtc(host: Host): Promise<void> {
  if ((await missingOn(host)).length > 0) await makeSharedEtc(host)
}

async function missingOn(host: Host): Promise<Effect[]> {
  const links = [...LINKS, ...FOLLOWER_LINKS].map(({ path }) => path)
  const enabling = FOLLOWER_LINKS.map(({ path }) => dirname(path))
  return [
    ...(await effects.planMake(host, 'folder', ...FOLDERS, ...enabling)),
    ...(await effects.planMake(host, 'link', ...links)),
    ...(await effects.planGenerate(host, FOLLOWER_FILES)),
  ]
}

/** It is enabled last, so that an interrupted step runs again. */
async function makeSharedEtc(host: Host): Promise<void> {
  await host.files.mkdir(SITE_ETC, { mode: 0o700 })
  for (const path of FOLDERS.slice(1)) await host.files.mkdir(path, { mode: 0o755 })
  for (const { path, target } of LINKS) await host.files.link(target, path)
  for (const { path, text } of FOLLOWER_FILES) await replace(host, path, text)
  await host.shell.run(['systemctl', 'daemon-reload'])
  await host.shell.run(['systemctl', 'start', SERVICE])
  for (const { path, target } of FOLLOWER_LINKS) {
    await host.files.mkdir(dirname(path))
    await host.files.link(target, path)
  }
  await host.shell.run(['systemctl', 'restart', LATE_WATCH, WATCH, TIMER])
}

/** Without a site, nothing needs it. */
export async function removeSharedEtc(host: Host): Promise<void> {
  const units = [LATE_WATCH, WATCH, TIMER, LATE_SERVICE, SERVICE]
  await host.shell.try(['systemctl', 'stop', ...units])
  for (const { path } of FOLLOWER_LINKS) await host.files.remove(path)
  for (const { path } of FOLLOWER_FILES) await removeGenerated(host, path)
  await host.files.remove(SITE_ETC)
}
