import { strictObject, z } from 'zod'

/**
 * The states of a name's certificate. `none`: the site has no certificate. `active`: the
 * certificate has the name. `renewing`: so it has, and a new one is due or requested. `expired`.
 * `waiting`: the next request is due. `checking`, `issuing`: a request is running, which tests
 * whether the name leads to the server, or has an order at the authority. `blocked`: the last
 * request left the name out.
 */
const CERTIFICATE_STATES = [
  ...(['none', 'waiting', 'checking', 'issuing', 'active', 'renewing', 'expired'] as const),
  'blocked',
] as const

const NameCertificate = strictObject({
  state: z.enum(CERTIFICATE_STATES),
  reason: z.string().max(500).describe('Why it is blocked, else empty.'),
  next_at: z.iso.datetime().nullable().describe('The next attempt for a blocked name.'),
})

/** The answer of an agent about a site. */
export const AgentNameStates = z.object({
  self_signed: z.boolean(),
  expires_at: z.string().max(40),
  names: z
    .array(
      z.object({
        name: z.string().max(253),
        records: z.array(z.string().max(45)).max(50).nullable(),
        certificate: NameCertificate,
      }),
    )
    .max(200),
})
export type AgentNameStates = z.infer<typeof AgentNameStates>

/**
 * The targets of the DNS records of a name. `here`: the server. `elsewhere`: only other addresses.
 * `both`. `cdn`: a network in front of the server. `none`: there are no records. `unknown`: no name
 * server answered, or the address of the server is not public.
 */
const DNS_STATES = ['here', 'both', 'elsewhere', 'cdn', 'none', 'unknown'] as const

export const NameState = strictObject({
  name: z.string().describe('In A-label form.'),
  dns: z.enum(DNS_STATES),
  cdn: z.string().nullable().describe('The name of the network, with `cdn`.'),
  records: z.array(z.string()).describe('The A and AAAA records that the server finds.'),
  certificate: NameCertificate,
}).meta({ id: 'NameState', description: 'The DNS records and the certificate of a name.' })
export type NameState = z.infer<typeof NameState>

export const DomainStates = strictObject({
  expected: z
    .array(z.string())
    .describe('The addresses that the records should have: those of the server.'),
  self_signed: z.boolean(),
  expires_at: z.string().describe('Of the certificate; empty without one.'),
  names: z.array(NameState).describe('The primary domain first.'),
}).meta({ id: 'DomainStates', description: 'The state of each name of a site.' })
export type DomainStates = z.infer<typeof DomainStates>
