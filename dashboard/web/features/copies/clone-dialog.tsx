import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { CloneForm } from './clone-form.tsx'
import type { Chosen, Origin } from './origin.ts'

interface CloneDialogProps extends DialogState {
  origin: Origin
  /** A protected copy. */
  staging?: boolean
  /** The initial choice. Default: the site as it is now. */
  chosen?: Chosen
}

/** Copies a site or a backup to a new site of its own. */
export function CloneDialog({
  open,
  onClose,
  origin,
  staging = false,
  ...props
}: CloneDialogProps) {
  const { chosen = 'now' } = props
  const { domain } = origin
  const isRestore = chosen !== 'now'
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title={staging ? `Create a staging site of ${unicodeOf(domain)}` : titleOf(domain, isRestore)}
      about={staging ? ABOUT.staging : ABOUT[isRestore ? 'restore' : 'clone']}
    >
      {open && <CloneForm origin={origin} staging={staging} first={chosen} onClose={onClose} />}
    </Dialog>
  )
}

const titleOf = (domain: string, isRestore: boolean) =>
  isRestore ? `Restore ${unicodeOf(domain)} as a new site` : `Clone ${unicodeOf(domain)}`

const ABOUT = {
  staging:
    'A protected copy to try changes on. The live site stays as it is, and keeps working while it is copied.',
  clone:
    'A new site with the same files and database. Its address replaces the old one in the database; the original stays as it is.',
  restore:
    'A new site with the files and the database of the backup. Its address replaces the old one in the database.',
} as const
