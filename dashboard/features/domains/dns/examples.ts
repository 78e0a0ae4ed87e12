const DnsAccount = {
  id: 1,
  name: 'Cloudflare',
  api: 'https://api.cloudflare.com/client/v4',
  zones: ['shop.example'],
  checked_at: '2026-11-23T10:00:00.000Z',
  created_at: '2026-11-23T10:00:00.000Z',
}

export const DNS_EXAMPLES = {
  DnsAccount,
  CreateDnsAccount: {
    name: DnsAccount.name,
    api: DnsAccount.api,
    token: 'your-token-of-cloudflare-with-40-letters',
  },
  UpdateDnsAccount: { name: 'Cloudflare (shops)' },
  SetDnsRecords: { name: 'shop.example', replace: [], dry_run: false },
  PlanDnsRecords: { names: ['shop.example'] },
  PurgeCdn: { dry_run: false },
  CdnPurge: {
    zones: [{ zone: 'shop.example', account: 'Cloudflare', hosts: ['shop.example'] }],
  },
  DnsNamePlan: {
    name: 'shop.example',
    zone: 'shop.example',
    account: 'Cloudflare',
    problem: '',
    records: [{ action: 'create', type: 'A', content: '192.0.2.10', proxied: false }],
  },
  DnsRecordPlan: {
    name: 'shop.example',
    zone: 'shop.example',
    account: 'Cloudflare',
    records: [{ action: 'create', type: 'A', content: '192.0.2.10', proxied: false }],
  },
}
