import {
  type Change,
  declared,
  deferred,
  inOrder,
  linked,
  removed,
} from '#agent/kernel/effects/change.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onUnits } from '#agent/kernel/services/index.ts'
import { UNITS } from '#agent/kernel/services/systemd.ts'

const NOTHING = '/dev/null'
const unitOf = (uid: string) => `user@${uid}.service`
const maskOf = (uid: string) => `${UNITS}/${unitOf(uid)}`

/**
 * Masks the user manager of an account: with libpam-systemd, each login would start a systemd of
 * its user outside of the sandbox, which starts any program that a process of this user requests.
 */
export const withoutManager = (host: Host, account: string): Change =>
  deferred(() => maskManager(host, account))

const maskManager = onUnits(async (host, account: string): Promise<Change> => {
  const uid = await uidOf(host, account)
  if (uid === undefined) return declared([effects.create('link', maskOf(numberOf(account)))], none)
  // The start of the agent ends one that a crash left between the two.
  if ((await host.files.stat(maskOf(uid)))?.kind === 'link') return inOrder()
  return inOrder(
    linked(host, NOTHING, maskOf(uid)),
    declared([effects.run('stop', unitOf(uid))], () => endManagersOf(host, [uid])),
  )
}, inOrder())

/** The placeholder in a plan for the number of an account that does not exist yet. */
const numberOf = (account: string) => `<number of ${account}>`
const none = async () => undefined

/** Unmasks the user manager before the account is removed: a person may get its number. */
export const unmaskManager = (host: Host, account: string): Change =>
  deferred(async () => {
    const uid = await uidOf(host, account)
    if (uid === undefined) return inOrder()
    return removed(host, 'link', maskOf(uid))
  })

/** Ends, at the start of the agent, the user managers of the accounts. */
export const endManagers = onUnits(async (host, accounts: readonly string[]): Promise<void> => {
  const uids: string[] = []
  for (const account of accounts) {
    const uid = await uidOf(host, account)
    if (uid === undefined) continue
    await host.files.link(NOTHING, maskOf(uid))
    uids.push(uid)
  }
  if (uids.length > 0) await endManagersOf(host, uids)
}, undefined)

async function endManagersOf({ shell }: Host, uids: readonly string[]): Promise<void> {
  await shell.run(['systemctl', 'daemon-reload'])
  await shell.run(['systemctl', 'stop', ...uids.map(unitOf)])
}

async function uidOf({ files }: Host, account: string): Promise<string | undefined> {
  const lines = ((await files.read('/etc/passwd', 64 << 20)) ?? '').split('\n')
  const [, , uid = ''] = lines.find((line) => line.startsWith(`${account}:`))?.split(':') ?? []
  return /^[1-9]\d*$/.test(uid) ? uid : undefined
}
