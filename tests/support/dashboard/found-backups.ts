import { testWith } from '#tests/support/fixture.ts'
import { backupAgent, checkedTarget, sealed } from './backups.ts'
import { ending, makeDashboard } from './dashboard.ts'

export const OLD = 'a-password-of-the-lost-dashboard'
export const FORGED = 'a-password-of-somebody-else'
const KIT = '0123456789abcdef'

export const found = {
  is_listed: true,
  repositories: [
    { name: 'shop_k3f9', keys: [{ kit: KIT, sealed: sealed(OLD) }] },
    { name: 'zeta_1111', keys: [] },
  ],
  next: null,
}
export const backup = (day: number) => ({
  id: String(day).repeat(64),
  at: `2026-01-0${day}T00:00:00.000Z`,
  ...{ files: 10, bytes: 2000, stored: 300, seconds: 2 },
})
export const listed = {
  next: null,
  ...{ password: 1, domain: 'shop.example', tables: 12, excluded: ['*.log'] },
  backups: [backup(2), backup(1)],
}

/** A dashboard whose server lists the backups of a lost dashboard. */
async function storage() {
  const { agent } = backupAgent()
  const asked: Record<string, unknown>[] = []
  const answer = (path: string, body: unknown) =>
    agent.answers.set(path, async (request) => {
      asked.push({ path, ...(await request.json()) })
      return Response.json(body)
    })
  answer('/backups/find', found)
  answer('/backups/list', listed)
  const dashboard = await makeDashboard()
  const server_id = await dashboard.addServer(agent)
  const target_id = await checkedTarget(dashboard, server_id)
  const at = `/api/servers/${server_id}`
  const search = (more = {}) =>
    dashboard.call('POST', `${at}/backup-search`, { target_id, ...more })
  const adopt = (sealed_passwords: string[]) =>
    dashboard.call('POST', `${at}/backup-adopt`, {
      ...{ target_id, repository: 'shop_k3f9', sealed_passwords },
    })
  return { ...ending(dashboard, agent), agent, answer, asked, dashboard, search, adopt }
}

/** A test with such a dashboard. */
export const storageTest = testWith(storage)
