import { ShieldCheck } from 'lucide-react'
import { proveBackup } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { provenText } from '#dashboard/web/labels/backup.ts'
import { ActionButton } from '#dashboard/web/ui/action-button.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import type { ProofView } from '#shared/backups/api/backups.ts'

/** Restores a backup into a hidden site and checks it; the site itself is left alone. */
export function ProveNow({ site }: { site: Site }) {
  const start = useStart(site.id)
  return (
    <ActionButton needs="operate" icon={<ShieldCheck />} call={() => start(proveBackup(site))}>
      Prove now
    </ActionButton>
  )
}

/** What a proof of a backup found, and when. */
export function Proof({ proof }: { proof: ProofView | null }) {
  if (proof === null) return <span className="text-muted">Not tried yet</span>
  if (proof.proven)
    return (
      <>
        <Badge tone="good">Proven</Badge>
        <p className="mt-0.5 text-xs text-muted">{provenText(proof)}</p>
      </>
    )
  return (
    <>
      <Badge tone="bad">Not proven</Badge>
      <ul className="mt-0.5 text-xs text-bad">
        {proof.findings.map(({ code, message }) => (
          <li key={`${code} ${message}`} className="break-words">
            {message}
          </li>
        ))}
      </ul>
    </>
  )
}
