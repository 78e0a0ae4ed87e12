import { describe, expect, test } from 'bun:test'
import { z } from 'zod'
import { commands } from '#agent/commands.ts'
import type { Operation } from '#agent/kernel/operations/operation.ts'
import { Runner } from '#agent/kernel/operations/runner.ts'
import { COMMANDS, type CommandName } from '#shared/commands.ts'
import type { ServiceError } from '#shared/kernel/errors.ts'
import { NONE, savedSite, TARGET } from '#tests/support/agent/backup.ts'
import { shop } from '#tests/support/agent/debian.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import { passwordIdOf } from '#tests/support/repository-password.ts'

const OPENING = {
  ...{ target: TARGET, repository: 'shop', password_id: passwordIdOf('another'), password: NONE },
}

/** The commands whose params have the password of a repository. */
const opening = (Object.keys(COMMANDS) as CommandName[]).filter((name) => {
  const schema = z.toJSONSchema(COMMANDS[name].params, { io: 'input', unrepresentable: 'any' })
  return JSON.stringify(schema).includes('"password_id"')
})

const refusalOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: ServiceError) => error.body.code,
  )

const endOf = async (operation: Operation) =>
  (await Array.fromAsync(operation.follow(0, new AbortController().signal))).at(-1)

/** An agent that has lost the password of a backup, and the params that restore it. */
async function forgetful() {
  const { host, restore } = await savedSite({ '/srv/www/shop/public/page.html': 'old' })
  await host.files.remove('/var/lib/hosting-agent/backups')
  const params = restore({ files: true, database: false })
  const runner = new Runner({ host, commands, report: () => undefined })
  return { host, params, runner }
}

describe('a request without the password of its repository', () => {
  test('is refused by every command that opens one, on a server that does not have it', async () => {
    expect(opening.sort()).toEqual([
      ...(['backup.create', 'backup.prove', 'backup.restore', 'site.catch-up'] as const),
      ...(['site.clone', 'site.gather', 'site.receive', 'site.refresh'] as const),
    ])
    const params = { domain: shop.domain, ...OPENING, from: OPENING } as never
    for (const name of opening) {
      const command = await commands[name]()
      const work = Promise.resolve(command.withSecrets?.(params, fakeHost()))
      expect([name, await refusalOf(work)]).toEqual([name, 'password_missing'])
    }
  })

  test('uses the password that the server keeps for one of its sites', async () => {
    const { host, restore } = await savedSite({ '/srv/www/shop/public/page.html': 'old' })
    const params = { ...restore({ files: true, database: false }), password: NONE }
    const runner = new Runner({ host, commands, report: () => undefined })

    const operation = await runner.start('backup.restore', params, 'op1')

    expect((await endOf(operation))?.event).toBe('complete')
  })

  test('does not use a password of another repository of this name', async () => {
    const { host, restore } = await savedSite({})
    const params = { ...restore({ files: true, database: false }), ...OPENING }
    const runner = new Runner({ host, commands, report: () => undefined })

    expect(await refusalOf(runner.start('backup.restore', params, 'op1'))).toBe('password_missing')
  })

  test('is refused before it waits for the site, and the same request may come with it', async () => {
    const { params, runner } = await forgetful()
    const busy = Promise.withResolvers<void>()
    const held = runner.alone(shop.domain, () => busy.promise)
    const start = (password = params.password) =>
      runner.start('backup.restore', { ...params, password }, 'op1')

    const refusal = await refusalOf(start(NONE))
    const operation = await start()
    const attached = await start(NONE)
    busy.resolve()
    await held

    expect([refusal, attached === operation]).toEqual(['password_missing', true])
    expect((await endOf(operation))?.event).toBe('complete')
  })

  test('is known again after a restart, whether it came with the password or not', async () => {
    const { host, params, runner } = await forgetful()
    await endOf(await runner.start('backup.restore', params, 'op1'))

    const next = new Runner({ host, commands, report: () => undefined })
    const again = await next.start('backup.restore', { ...params, password: NONE }, 'op1')

    expect((await endOf(again))?.event).toBe('complete')
  })
})
