import { AT } from '#dashboard/kernel/http/example-values.ts'

const PEM = '-----BEGIN CERTIFICATE-----\n…\n-----END CERTIFICATE-----\n'
const moved = { status: 'ok', domain: 'shop.example', server_id: 2, seconds: 12.4 }
const SiteMove = { other_id: 1, other: 'web-1', moved_at: AT, tls: true }

const OpenMove = {
  other: 'web-1',
  operation_id: 'q3fJ0u8Z2nXv5Lr1',
  undecided: true,
  next_at: AT,
  reason: 'The disk is full',
}

export const MOVE_EXAMPLES = {
  MoveSite: { server_id: 2 },
  MoveSiteBack: { discard_changes: false },
  ConfirmMove: {},
  SiteMove,
  OpenMove,
  ShownMove: {
    move: SiteMove,
    open: null,
    dns: 'former',
    addresses: ['192.0.2.1'],
    wanted: ['192.0.2.2'],
  },
  SiteMoveComplete: moved,
  SiteMoveBackComplete: moved,
  SiteMoveConfirmComplete: { status: 'ok', domain: 'shop.example' },
  SiteReceiveComplete: { status: 'ok', domain: 'shop.example', certificate: PEM },
  SiteGatherComplete: {
    status: 'ok',
    domain: 'shop.example',
    gathered: {
      at: AT,
      files: { snapshot: 'a'.repeat(64), count: 3, bytes: 2000 },
      database: { snapshot: 'b'.repeat(64), bytes: 300, sha256: 'c'.repeat(64) },
    },
  },
  SiteCatchUpComplete: { status: 'ok', domain: 'shop.example', at: AT, tables: 3 },
  SiteSwitchComplete: { status: 'ok', domain: 'shop.example', certificate: PEM },
}
