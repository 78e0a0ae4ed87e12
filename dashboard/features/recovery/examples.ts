const AT = '2026-03-01T09:30:12.000Z'

export const RESTORED_EXAMPLES = {
  Restored: {
    made_at: AT,
    restored_at: '2026-03-02T10:00:00.000Z',
    servers: [{ server_id: 1, name: 'web-1', state: 'read', reason: '', command: null }],
    sites: [{ site_id: 7, server_id: 1, domain: 'shop.example.com', change: 'adopted' }],
    sites_total: 1,
    operations: [
      {
        id: '4f1c2a',
        server_id: 1,
        command: 'site.create',
        domain: 'shop.example.com',
        at: AT,
        end: 'complete',
      },
    ],
    operations_total: 1,
  },
}
