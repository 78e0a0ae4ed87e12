import { z } from 'zod'
import { creates, shows } from '#dashboard/kernel/http/answers.ts'
import { idIn } from '#dashboard/kernel/http/path.ts'
import { type PathCall, routesWith } from '#dashboard/kernel/http/route.ts'
import { loadManagedSite, loadServer } from '#dashboard/kernel/targets/load-site.ts'
import {
  CreateDnsAccount,
  DnsAccountView,
  DnsNamePlan,
  DnsRecordPlan,
  PlanDnsRecords,
  SetDnsRecords,
  UpdateDnsAccount,
} from '#shared/domains/api/dns.ts'
import { CdnPurge, PurgeCdn } from '#shared/sites/api/cdn-purge.ts'
import {
  changeAccount,
  createAccount,
  type DnsDeps,
  getAccount,
  removeAccount,
  showAccounts,
} from './accounts.ts'
import { purgeCdn } from './purge.ts'
import { planChanges } from './read-changes.ts'
import { setRecords } from './records.ts'

const route = routesWith<DnsDeps>()

const loadAccount = ({ deps, params }: PathCall<DnsDeps, 'account_id'>) =>
  getAccount(deps, idIn(params.account_id, 'DNS account'))

export const dnsRoutes = {
  listDnsAccounts: route({
    at: 'GET /api/dns-accounts',
    summary: 'List the DNS accounts',
    right: 'read',
    answers: shows('By name, without their tokens.', { accounts: z.array(DnsAccountView) }),
    run: async ({ deps }) => ({ accounts: await showAccounts(deps) }),
  }),
  createDnsAccount: route({
    at: 'POST /api/dns-accounts',
    summary: 'Add a DNS account',
    details:
      'The token is tested first: 422 on `token` with the message of Cloudflare if it refuses the token, or if the token has no access to a zone.',
    right: 'admin',
    needs_session: true,
    needs_confirmation: true,
    body: CreateDnsAccount,
    answers: creates('Added.', { account: DnsAccountView }),
    errors: ['conflict'],
    waits: true,
    run: async ({ deps, body, caller }) => ({
      account: await createAccount(deps, body, caller.user.id),
    }),
  }),
  updateDnsAccount: route({
    at: 'PATCH /api/dns-accounts/:account_id',
    summary: 'Change a DNS account',
    details: 'Reads the zones again, also without a change.',
    right: 'admin',
    needs_session: true,
    needs_confirmation: true,
    loads: loadAccount,
    body: UpdateDnsAccount,
    answers: shows('Its current state.', { account: DnsAccountView }),
    errors: ['conflict'],
    waits: true,
    run: async ({ deps, loaded, body, caller }) => ({
      account: await changeAccount(deps, loaded, body, caller.user.id),
    }),
  }),
  removeDnsAccount: route({
    at: 'DELETE /api/dns-accounts/:account_id',
    summary: 'Remove a DNS account',
    details: 'The records at Cloudflare stay.',
    right: 'admin',
    needs_session: true,
    needs_confirmation: true,
    loads: loadAccount,
    answers: { 204: { about: 'Removed.' } },
    errors: ['conflict'],
    run: async ({ deps, loaded, caller }) => {
      await removeAccount(deps, loaded, caller.user.id)
    },
  }),
  planDnsRecords: route({
    at: 'POST /api/servers/:server_id/dns-plan',
    summary: 'List the DNS records that point names to a server',
    details:
      'As they are in the zones of the DNS accounts, and as they would be. Names in no zone are left out. Changes nothing; the field `dns` of a call that creates a site or changes its names makes them.',
    right: 'operate',
    loads: loadServer,
    body: PlanDnsRecords,
    answers: shows('In the order of the names.', { names: z.array(DnsNamePlan) }),
    waits: true,
    run: async ({ deps, loaded, body }) => ({ names: await planChanges(deps, loaded, body.names) }),
  }),
  purgeCdn: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/cdn-purge',
    summary: 'Purge the Cloudflare cache of a site',
    details:
      'All pages and files of the names of the site that are proxied in a zone of a DNS account. With `dry_run` it changes nothing. 409 with the message of Cloudflare, and what to do, or if there is no such name.',
    right: 'operate',
    loads: loadManagedSite,
    body: PurgeCdn,
    answers: { 200: { about: 'What is purged.', json: CdnPurge } },
    errors: ['conflict'],
    waits: true,
    run: ({ deps, loaded, body }) => purgeCdn(deps, loaded, body),
  }),
  setDnsRecords: route({
    at: 'POST /api/servers/:server_id/sites/:site_id/domains/records',
    summary: 'Point a name of a site to its server',
    details:
      'Creates A and AAAA records in the zone of a DNS account, and returns all of them; with `dry_run` it changes nothing. Records that point elsewhere are only replaced if `replace` has them (422); 409 with the code `changed_meanwhile` if they are others by now. 409 without an account for the zone, and with the message of Cloudflare if it refuses: then the former records are restored. If that is not certain, the message names them. In production also 409 if the server has a private address.',
    right: 'operate',
    loads: loadManagedSite,
    body: SetDnsRecords,
    answers: { 200: { about: 'The records of the name.', json: DnsRecordPlan } },
    errors: ['conflict'],
    waits: true,
    run: ({ deps, loaded, body, caller }) => setRecords(deps, loaded, body, caller.user.id),
  }),
}
