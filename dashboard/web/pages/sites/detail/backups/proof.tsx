import { useMutation } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { proveBackup } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { provenText } from '#dashboard/web/labels/backup.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Badge } from '#dashboard/web/ui/status.tsx'
import { toastError } from '#dashboard/web/ui/toasts.tsx'
import type { ProofView } from '#shared/backups/api/backups.ts'

interface ProveNowProps {
  site: Site
  /** Default: the newest one. */
  backup_id?: number
  name?: string
  label?: string
}

/** Restores a backup into a hidden site and checks it; the site itself is left alone. */
export function ProveNow({ site, backup_id, name = 'Prove now', label = name }: ProveNowProps) {
  const start = useStart(site.id)
  const { mutate, isPending } = useMutation({
    mutationFn: () => start(proveBackup(site, backup_id)),
    onError: toastError,
  })
  return (
    <Button icon={<ShieldCheck />} busy={isPending} aria-label={label} onClick={() => mutate()}>
      {name}
    </Button>
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
