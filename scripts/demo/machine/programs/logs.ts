import { Buffer } from 'node:buffer'
import type { Output, RunOptions } from '#agent/host/ports.ts'
import { printed } from '#agent/host/simulated/programs/output.ts'
import { causeOf } from '#agent/logs/fatals.ts'
import { JOB_LINE } from '#agent/logs/formats.ts'
import { searchInput } from '#agent/logs/input.ts'
import { ReadRequest } from '#agent/logs/request.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'
import { MAX_LOG_LINES } from '#shared/site-logs.ts'
import { jobLog } from './jobs.ts'
import { DEMO_LOGS } from './log-lines.ts'

/** `hosting-agent logs`: the real reader, on lines that are written for the demo. */
export function logs(machine: Machine, { input = '', site }: RunOptions): Output {
  const end = input.indexOf('\n') + 1
  const request = ReadRequest.parse(JSON.parse(input.slice(0, end)))
  const { what, source } = request
  const text =
    source === 'cron' ? jobLog(machine, site?.user ?? '') : DEMO_LOGS[source](machine.time.now())
  const bytes = Buffer.from(text)
  if (what === 'list') return printed(JSON.stringify(listed(bytes, machine.time.now())))
  if (what === 'output') return printed(JSON.stringify(outputs(text, request)))
  const page = searchInput(bytes, {
    ...request,
    limit: what === 'search' ? request.limit : MAX_LOG_LINES,
  })
  if (what === 'search') return printed(JSON.stringify(page))
  if (what === 'fatals') return printed(JSON.stringify(grouped(bytes, request)))
  const lines = page.lines.toReversed()
  if (what === 'download') return printed(lines.map((line) => `${line.at} ${line.text}\n`).join(''))
  const news = lines.slice(-1).map((line) => `${JSON.stringify({ kind: 'line', line })}\n`)
  return printed(`\n${news.join('')}`)
}

function outputs(text: string, { runs }: ReadRequest): Record<string, string> {
  const lines = text.split('\n').flatMap((line) => {
    const [, , run = '', , printed = ''] = JOB_LINE.exec(line) ?? []
    return runs.includes(run) ? [{ run, printed }] : []
  })
  const byRun = Map.groupBy(lines, ({ run }) => run)
  return Object.fromEntries(
    [...byRun].map(([run, own]) => [run, own.map(({ printed }) => printed).join('\n')]),
  )
}

const listed = (bytes: Buffer, now: number) => ({
  files: bytes.length > 0 ? 1 : 0,
  bytes: bytes.length,
  changed_at: bytes.length > 0 ? new Date(now).toISOString() : null,
})

function grouped(bytes: Buffer, request: ReadRequest) {
  const { lines, looked } = searchInput(bytes, { ...request, level: 'fatal' })
  const causes = Map.groupBy(lines, ({ text }) => JSON.stringify(causeOf(text)))
  const groups = [...causes].map(([cause, [last, ...others]]) => ({
    ...JSON.parse(cause),
    count: others.length + 1,
    first_at: others.at(-1)?.at ?? last?.at ?? null,
    last_at: last?.at ?? null,
    text: last?.text ?? '',
  }))
  return { groups, is_complete: true, looked }
}
