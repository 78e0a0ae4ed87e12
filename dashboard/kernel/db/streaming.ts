import {
  type Client,
  LibsqlBatchError,
  LibsqlError,
  type ResultSet,
  type TransactionMode,
} from '@libsql/client'
import {
  BatchCond,
  ClientError,
  type HttpStream,
  ResponseError,
  type RowsResult,
  Stmt,
} from '@libsql/hrana-client'
import { type Batch, BEGIN, textOf, together, withMethods } from './statements.ts'
import type { Streams } from './streams.ts'

/** A client of a server that executes statements and batches on streams that stay open. */
export function streaming(client: Client, streams: Streams): Client {
  const own: Pick<Client, 'execute' | 'batch' | 'reconnect' | 'close'> = {
    execute: (
      statement: Parameters<Client['execute']>[0],
      args?: Parameters<Client['execute']>[1],
    ) => streams.use((stream) => executeOn(stream, together(statement, args))).catch(rethrow),
    batch: (statements: Batch, mode: TransactionMode = 'deferred') =>
      streams.use((stream) => batchOn(stream, statements, mode)).catch(rethrow),
    async reconnect() {
      streams.reconnect()
      await client.reconnect()
    },
    close() {
      streams.close()
      client.close()
    },
  }
  return withMethods(client, own)
}

async function executeOn(stream: HttpStream, statement: Batch[number]): Promise<ResultSet> {
  return resultOf(await stream.query(stmtOf(statement)))
}

/** One round trip: the server executes each step after the success of the one before. */
async function batchOn(
  stream: HttpStream,
  statements: Batch,
  mode: TransactionMode,
): Promise<ResultSet[]> {
  const batch = stream.batch(false)
  const begin = batch.step()
  const begun = begin.run(BEGIN[mode])
  let last = begin
  const running = statements.map((statement) => {
    last = batch.step().condition(BatchCond.ok(last))
    return last.query(stmtOf(statement))
  })
  const commit = batch.step().condition(BatchCond.ok(last))
  const committed = commit.run('COMMIT')
  const rollback = batch.step().condition(BatchCond.not(BatchCond.ok(commit)))
  const steps = [begun, ...running, committed, rollback.run('ROLLBACK')]
  const outcomes = Promise.allSettled(steps)
  await batch.execute()
  await outcomes
  await begun
  const results = await Promise.all(running.map((result, place) => result.catch(failedAt(place))))
  await committed
  return results.map((rows, place) => (rows ? resultOf(rows) : notExecuted(place)))
}

function failedAt(place: number) {
  return (error: unknown) => {
    const { message, code, cause } = libsqlError(error)
    throw new LibsqlBatchError(message, place, code, undefined, undefined, cause as Error)
  }
}

function notExecuted(place: number): never {
  throw new LibsqlBatchError('The statement was not executed', place, 'TRANSACTION_CLOSED')
}

function stmtOf(statement: Batch[number]): Stmt {
  const [sql, args] = textOf(statement)
  const stmt = new Stmt(sql)
  if (Array.isArray(args)) return stmt.bindIndexes(args)
  for (const [name, value] of Object.entries(args)) stmt.bindName(name, value)
  return stmt
}

/** As the client of `@libsql/client` returns it. */
function resultOf(rows: RowsResult): ResultSet {
  const result = {
    columns: rows.columnNames.map((name) => name ?? ''),
    columnTypes: rows.columnDecltypes.map((type) => type ?? ''),
    rows: rows.rows,
    rowsAffected: rows.affectedRowCount,
    lastInsertRowid: rows.lastInsertRowid,
  }
  const toJSON = () => ({ ...result, lastInsertRowid: result.lastInsertRowid?.toString() })
  return { ...result, toJSON }
}

function rethrow(error: unknown): never {
  throw error instanceof ClientError ? libsqlError(error) : error
}

function libsqlError(error: unknown): LibsqlError {
  if (error instanceof LibsqlError) return error
  const code = error instanceof ResponseError ? error.code : undefined
  const message = error instanceof Error ? error.message : String(error)
  return new LibsqlError(message, code ?? 'SERVER_ERROR', undefined, undefined, error as Error)
}
