import { perHost, reading } from '#agent/kernel/calls/reading.ts'
import {
  databaseReading,
  databaseUsersReading,
  exportingReading,
  exportReading,
  uploadReading,
} from '#shared/database/readings.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { apexOf } from '#shared/kernel/names.ts'
import { Exports } from './export.ts'
import { readDatabase } from './reading.ts'
import { storePart } from './uploads.ts'
import { listDatabaseUsers } from './users.ts'

export const database = reading(databaseReading, ({ host, params }) =>
  readDatabase(host, params.domain),
)

export const databaseUsers = reading(databaseUsersReading, async ({ host, params }) => ({
  users: await listDatabaseUsers(host, params.domain),
}))

const exports = perHost((host) => new Exports(host))

/** Refuses a database that another operation may be replacing. */
export const databaseExport = reading(exportReading, async ({ host, params, runner }) => {
  const { domain } = params
  if (runner.isBusy(apexOf(domain)))
    throw conflict(`Another operation is running on ${domain}: try again later`)
  return exports(host).start(domain)
})

export const exporting = reading(exportingReading, async ({ host, params }) => ({
  export: exports(host).progress(params.domain),
}))

export const upload = reading(uploadReading, async ({ host, params, runner }) => {
  const imports = await runner.unended('database.import')
  const own = imports.filter(({ domain }) => domain === params.domain)
  return storePart(
    host,
    params,
    own.map((each) => each.upload),
  )
})
