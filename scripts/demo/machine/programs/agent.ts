import type { TryResult } from '#agent/features/mail/test-result.ts'
import type { Output, RunOptions } from '#agent/kernel/host/ports.ts'
import { ownAgent } from '#agent/kernel/host/simulated/programs/copies.ts'
import { printed } from '#agent/kernel/host/simulated/programs/output.ts'
import { DEMO_RELAY } from '#scripts/demo/machine/lay-out-mail.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'
import { logs } from './logs.ts'

const result = (of: TryResult) => JSON.stringify(of)
const QUEUED = result({ taken: true, answer: '250 2.0.0 Ok: queued' })

/** Runs programs of the agent; `hosting-agent mail-try` prints a dialogue with a relay. */
export function agent(machine: Machine, argv: readonly string[], options: RunOptions): Output {
  const { hostname } = machine.plan
  const [, word, to = ''] = argv
  if (word === 'rewrite') return countedAddresses(options) ?? ownAgent(machine, argv, options)
  if (word === 'logs') return logs(machine, options)
  if (word !== 'mail-try') return printed('')
  const { host, port } = DEMO_RELAY
  const opening = [
    `Connecting to ${host}, port ${port}`,
    `< 220 ${host} ESMTP`,
    `> EHLO ${hostname}`,
    `< 250 ${host} STARTTLS AUTH PLAIN LOGIN SIZE 26214400`,
    '> STARTTLS',
    '< 220 2.0.0 Ready to start TLS',
    'TLS has started, and the certificate of the relay is valid',
    '> AUTH PLAIN (user and password)',
    '< 235 2.7.0 Authentication successful',
    `> MAIL FROM:<wordpress@${hostname}>`,
    '< 250 2.1.0 Ok',
    `> RCPT TO:<${to}>`,
  ]
  const refusal = '550 5.1.1 User unknown'
  const end = to.startsWith('bounce@')
    ? [`< ${refusal}`, result({ taken: false, answer: refusal })]
    : ['< 250 2.1.5 Ok', '> DATA', '< 354 End with a dot', QUEUED]
  return printed([...opening, ...end].join('\n'))
}

const column = (name: string, changed: number, plain: number, serialized: number) => ({
  ...{ column: name, changed, serialized },
  replaced: { plain, json: serialized },
})

const TABLES = [
  { table: 'wp_options', rows: 412, columns: [column('option_value', 19, 13, 31)] },
  { table: 'wp_postmeta', rows: 9_204, columns: [column('meta_value', 188, 12, 341)] },
  { table: 'wp_posts', rows: 1_311, columns: [column('post_content', 604, 1_902, 0)] },
  { table: 'wp_comments', rows: 240, columns: [] },
]

const LEFT = { table: 'wp_posts', column: 'guid', reason: 'skipped', count: 1_311 }

/** `hosting-agent rewrite` that only counts the addresses of a database; undefined: it does more. */
function countedAddresses({ input = '' }: RunOptions): Output | undefined {
  const { rules = [], output = true } = JSON.parse(input.split('\n')[0] ?? '{}')
  if (output || rules.length === 0) return undefined
  const left = [{ ...LEFT, examples: [`${rules[0].from}/?p=7`] }]
  return {
    ...printed(''),
    stderr: `${JSON.stringify({ replaced: 2_299, left, tables: TABLES })}\n`,
  }
}
