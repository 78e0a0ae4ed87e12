import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain, TrueOrFalse } from '#shared/kernel/fields.ts'
import { NEEDS } from '#shared/kernel/needs.ts'
import { completesWith, operationType, SAME_DOMAIN } from '#shared/kernel/operation-type.ts'
import { Address, Switch } from './moving.ts'

const siteSwitch = command({
  name: 'site.switch',
  summary: 'Change how this server serves a site that moves between two servers',
  changes: true,
  needs: () => NEEDS.moves,
  minutes: 10,
  params: z.object({
    domain: Domain,
    state: Switch,
    peers: z
      .array(Address, 'Must be a list of IP addresses')
      .max(16, 'Must have at most 16 addresses')
      .default([])
      .describe('The addresses of the other server; it is reached at the first one.'),
    challenges: TrueOrFalse.default(false).describe(
      'The other server requests the certificate, and gets the challenges.',
    ),
    certificate: z
      .string('Must be a string')
      .max(65_536, 'Must have at most 65536 characters')
      .default('')
      .describe('That of the other server, if no authority has signed it.'),
  }),
  result: z.object({
    domain: ReportedDomain,
    certificate: z.string().max(65_536).describe('The certificate as PEM; empty without one.'),
  }),
})

/** Part of a move, which the dashboard executes. */
export const siteSwitchType = operationType({
  name: 'Switch site',
  title: 'Switch',
  target: 'site',
  command: siteSwitch,
  right: 'operate',
  params: siteSwitch.params,
  confirms: SAME_DOMAIN,
  outcome: completesWith(siteSwitch.result),
  bulk: null,
})
