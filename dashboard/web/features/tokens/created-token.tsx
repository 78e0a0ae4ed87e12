import { Button } from '#dashboard/web/ui/button.tsx'
import { Copy } from '#dashboard/web/ui/copy.tsx'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'

/** Shows a new token once: the dashboard keeps only its hash. */
export function CreatedToken({
  plaintext,
  onClose,
}: Pick<DialogState, 'onClose'> & { plaintext: string }) {
  return (
    <div className="flex flex-col gap-4">
      <Notice kind="warn" title="The token is shown only once">
        Copy it now. The dashboard stores only its hash and cannot show it again.
      </Notice>
      <div className="flex items-center gap-2 rounded-lg border border-line bg-sunken p-2">
        <code className="min-w-0 flex-1 font-mono text-xs break-all">{plaintext}</code>
        <Copy text={plaintext} what="the token" />
      </div>
      <div className="flex justify-end">
        <Button kind="primary" onClick={onClose}>
          Done
        </Button>
      </div>
    </div>
  )
}
