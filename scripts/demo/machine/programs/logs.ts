import { Buffer } from 'node:buffer'
import type { Output, RunOptions } from '#agent/kernel/host/ports.ts'
import { printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { causeOf } from '#agent/programs/logs/fatals.ts'
import { JOB_LINE } from '#agent/programs/logs/formats.ts'
import { searchInput } from '#agent/programs/logs/input.ts'
import { ReadRequest } from '#agent/programs/logs/request.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'
import { type LogSource, MAX_LOG_LINES } from '#shared/logs/site-logs.ts'
import { jobLog } from './jobs.ts'

/** Runs `hosting-agent logs`: the real reader, on lines that are written for the demo. */
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

const MINUTE_MS = 60_000
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const CONTENT = '/srv/www/shop/public/wp-content'

const two = (value: number) => String(value).padStart(2, '0')

function clockOf(at: number) {
  const date = new Date(at)
  const [day, month] = [two(date.getUTCDate()), MONTHS[date.getUTCMonth()] ?? '']
  const time = date.toISOString().slice(11, 19)
  return { day, month, year: date.getUTCFullYear(), time }
}

/** Returns one line for each of the last minutes, oldest first. */
const written = (now: number, count: number, line: (at: number, number: number) => string) =>
  Array.from({ length: count }, (_, at) => {
    const number = Math.floor(now / MINUTE_MS) - count + 1 + at
    return `${line(number * MINUTE_MS, number)}\n`
  }).join('')

const VISITS = [
  ['GET / HTTP/2.0', 200],
  ['GET /shop/?orderby=price HTTP/2.0', 200],
  ['POST /wp-login.php HTTP/2.0', 302],
  ['GET /wp-content/uploads/2026/03/coat.webp HTTP/2.0', 200],
  ['GET /wp-login.php?action=rp&key=Zq8mW2xT7kLp&login=anna HTTP/2.0', 200],
  ['GET /.env HTTP/1.1', 403],
  ['GET /old-page/ HTTP/2.0', 404],
  ['GET /checkout/ HTTP/2.0', 500],
] as const

function visit(at: number, number: number): string {
  const [request, status] = VISITS[number % VISITS.length] ?? VISITS[0]
  const { day, month, year, time } = clockOf(at)
  const size = 500 + ((number * 7919) % 40_000)
  return `203.0.113.${number % 250} - - [${day}/${month}/${year}:${time} +0000] "${request}" ${status} ${size} "-" "Mozilla/5.0 (X11; Linux x86_64)" HTTP/2.0 0.0${number % 90} 0.0${number % 80} MISS`
}

const PHP_ERRORS = [
  `PHP Warning:  Undefined array key "title" in ${CONTENT}/themes/shop/functions.php on line 12`,
  `PHP Fatal error:  Uncaught Error: Call to undefined function render_slides() in ${CONTENT}/plugins/slider/slider.php:71\nStack trace:\n#0 ${CONTENT}/plugins/slider/slider.php(12): slider()\n#1 {main}\n  thrown in ${CONTENT}/plugins/slider/slider.php on line 71`,
  `PHP Deprecated:  Creation of dynamic property is deprecated in ${CONTENT}/plugins/forms/forms.php on line 8`,
]

function phpError(at: number, number: number): string {
  const { day, month, year, time } = clockOf(at)
  return `[${day}-${month}-${year} ${time} UTC] ${PHP_ERRORS[number % PHP_ERRORS.length]}`
}

const nginxError = (at: number, number: number) =>
  `${new Date(at).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ')} [error] 7#7: *${number} access forbidden by rule, client: 203.0.113.${number % 250}, request: "GET /.env HTTP/1.1"`

const mailEvent = (at: number, number: number) =>
  JSON.stringify({
    at: new Date(at).toISOString(),
    level: 'info',
    text: `${number.toString(16).padStart(24, '0')} sent to anna@example.net`,
  })

/** The logs of each site of the demo. */
const DEMO_LOGS: Readonly<Record<LogSource, (now: number) => string>> = {
  access: (now) => written(now, 300, visit),
  error: (now) => written(now, 20, nginxError),
  php: (now) => written(now, 30, phpError),
  wordpress: () => '',
  cron: () => '',
  mail: (now) => written(now, 10, mailEvent),
}
