import { useQueryClient } from '@tanstack/react-query'
import { BACKUPS, confirmKit, kitsQuery } from '#dashboard/web/api/backups.ts'
import { Dialog, type DialogState } from '#dashboard/web/ui/dialog.tsx'
import { toast } from '#dashboard/web/ui/toasts.tsx'
import { GeneratedKit } from './generated-kit.tsx'
import { hasWebCrypto } from './key-pair.ts'
import { OpensslKit } from './openssl-kit.tsx'

/** What both ways to create a kit get. */
export interface KitSteps {
  onClose: () => void
  /** Sends the decrypted challenge, in base64, and closes the dialog. */
  confirm: (answer: string) => Promise<void>
}

/** Creates a kit, and asks for the proof that it was saved. */
export function NewKit({ open, onClose }: DialogState) {
  const client = useQueryClient()
  const confirm = async (answer: string) => {
    const { kit } = await confirmKit(answer)
    client.setQueryData(kitsQuery.queryKey, { in_use: kit, pending: null })
    void client.invalidateQueries({ queryKey: BACKUPS })
    toast('The recovery kit is confirmed. Keep it offline, in two safe places.')
    onClose()
  }
  const Steps = hasWebCrypto() ? GeneratedKit : OpensslKit
  return (
    <Dialog open={open} onClose={onClose} title="Create recovery kit" wide>
      {open && <Steps onClose={onClose} confirm={confirm} />}
    </Dialog>
  )
}
