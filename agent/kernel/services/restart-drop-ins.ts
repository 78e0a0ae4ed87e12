import { dirname } from 'node:path'
import * as effects from '#agent/kernel/effects/effects.ts'
import { MARK_LINE, replaceGenerated } from '#agent/kernel/effects/generated.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Step } from '#agent/kernel/steps/command.ts'
import { unit } from '#shared/kernel/formats/systemd.ts'
import { CRON, MARIADB, NGINX } from './debian-services.ts'
import { onUnits } from './index.ts'
import type { Service } from './service.ts'

/** Debian's services that sites need, with the settings of their units beside a restart. */
const NEEDED_SERVICES: readonly (readonly [Service, readonly string[]])[] = [
  // The kernel kills one worker, which its master replaces: the master need not end too. Two logs,
  // connections and open files for each site need more than the usual 1,024.
  [NGINX, ['OOMPolicy=continue', 'LimitNOFILE=65536']],
  [MARIADB, []],
  [CRON, []],
]

/** Returns the path of the drop-in, without settings of an administrator: see settingsOf. */
const dropInOf = ({ unit }: Service) => `/etc/systemd/system/${unit}.d/hosting.conf`

export const RESTART_DROP_INS = NEEDED_SERVICES.map(([service]) => dropInOf(service))

/**
 * Returns the step that makes systemd restart failed services: ten times in five minutes. None if
 * that is done, or without systemd. Debian's nginx has no restart at all.
 */
export const restartingSteps = onUnits(async (host): Promise<Step[]> => {
  const files = await Promise.all(
    NEEDED_SERVICES.map(async ([service, more]) => ({
      path: dropInOf(service),
      text: renderDropIn(more, await settingsOf(host, service)),
    })),
  )
  const found = await Promise.all(files.map(({ path }) => host.files.read(path)))
  const missing = files.filter(({ text }, at) => found[at] !== text)
  if (missing.length === 0) return []
  return [
    {
      name: 'restarts',
      title: 'Configuring automatic restarts of services',
      effects: async () => [
        ...(await effects.creationsOf(host, 'folder', ...missing.map(({ path }) => dirname(path)))),
        ...(await effects.writesOf(host, missing)),
      ],
      async apply() {
        for (const { path, text } of missing) await replaceGenerated(host, path, text)
        await host.shell.run(['systemctl', 'daemon-reload'])
      },
    },
  ]
}, [])

/** Matches the files of a drop-in folder that systemd reads (systemd.unit(5)), no drafts. */
const IS_DROP_IN = /^[^.].*\.conf$/

/** Returns an administrator's directives for the unit; they have priority over others. */
async function settingsOf({ files }: Host, service: Service): Promise<Set<string>> {
  const own = dropInOf(service)
  const folder = dirname(own)
  const names = (await files.list(folder)).filter(({ name }) => IS_DROP_IN.test(name))
  const others = names.map(({ name }) => `${folder}/${name}`).filter((path) => path !== own)
  const paths = [`/etc/systemd/system/${service.unit}`, ...others]
  const texts = await Promise.all(paths.map((path) => files.read(path).catch(() => undefined)))
  return new Set(
    texts.flatMap((text) =>
      [...(text ?? '').matchAll(/^\s*([A-Z]\w*)\s*=/gm)].map(([, name = '']) => name),
    ),
  )
}

const START_LIMIT = ['StartLimitIntervalSec=300', 'StartLimitBurst=10']
const RESTART = ['Restart=on-failure', 'RestartSec=1']

function renderDropIn(more: readonly string[], others: ReadonlySet<string>): string {
  const lines = (all: readonly string[]) =>
    all.filter((line) => !others.has(line.split('=')[0] ?? '')).map((line) => `${line}\n`)
  return unit`# ${MARK_LINE}
[Unit]
${lines(START_LIMIT).join('')}
[Service]
${lines([...RESTART, ...more]).join('')}`
}
