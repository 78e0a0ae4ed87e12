const BulkAsk = {
  server_id: 1,
  site_id: 7,
  domain: 'shop.example',
  effects: [
    {
      action: 'change',
      kind: 'name',
      name: 'shop.example, which /etc/nginx/sites-enabled/wild serves as *.example',
      asks: 'name_taken_over',
    },
  ],
  error: null,
}

export const ACCEPT_EXAMPLES = {
  BulkAsk,
  BulkAsks: { asks: [BulkAsk], unasked: 0 },
  RestoreSite: { accept: ['name_taken_over'] },
}
