import type { Output, RunOptions } from '#agent/host/ports.ts'
import { ownAgent } from '#agent/host/simulated/programs/copies.ts'
import { printed } from '#agent/host/simulated/programs/output.ts'
import type { TryResult } from '#agent/os/mail/answers.ts'
import { DEMO_RELAY } from '#scripts/demo/machine/lay-out-mail.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'
import { countedAddresses } from './addresses.ts'
import { logs } from './logs.ts'

const result = (of: TryResult) => JSON.stringify(of)
const QUEUED = result({ taken: true, answer: '250 2.0.0 Ok: queued' })

/** `hosting-agent mail-try`: a dialogue with a relay. */
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
