// tier: core
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { constants } from 'node:fs'
import { copyFile, cp, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { buildDashboard } from '#scripts/build-dashboard.ts'
import { runToEnd } from '#tests/support/children.ts'
import { dashboardFolder, sweep, temporaryFolder } from '#tests/support/processes.ts'

const ROOT = join(import.meta.dir, '../..')
const MIGRATIONS = 'dashboard/kernel/db/migrations'

let release = ''
let elsewhere = ''
/** Runs a command of the build in another folder, which has a file of settings for Bun. */
const run = async (...argv: string[]) => {
  const program = join(release, 'dist/hosting-control')
  const env = { DATA_DIR: await dashboardFolder() }
  return runToEnd(['env', '--chdir', elsewhere, program, ...argv], { env })
}

/** A release has the build and what it reads: packages and migrations. */
beforeAll(async () => {
  const { file } = await buildDashboard(ROOT)
  release = await temporaryFolder('release')
  elsewhere = await temporaryFolder('elsewhere')
  await Bun.write(`${elsewhere}/.env`, 'DATABASE_URL=not-a-database\n')
  await Bun.write(`${elsewhere}/bunfig.toml`, 'preload = ["./missing.ts"]\n')
  await mkdir(`${release}/dist`)
  await symlink(`${ROOT}/node_modules`, `${release}/node_modules`)
  await copyFile(file, `${release}/dist/hosting-control`, constants.COPYFILE_FICLONE)
}, 60_000)
afterAll(sweep)

test('a stack trace of the build names the sources', async () => {
  const { code, err } = await run('check')

  expect(code).toBe(1)
  expect(err).toContain('at knownMigrations (dashboard/kernel/db/migrations.ts:')
})

test('the build uses its release, and no settings of the folder that it is started in', async () => {
  await cp(join(ROOT, MIGRATIONS), join(release, MIGRATIONS), { recursive: true })

  expect(await run('check')).toEqual({
    code: 0,
    out: 'ok\n',
    err: '',
  })
})
