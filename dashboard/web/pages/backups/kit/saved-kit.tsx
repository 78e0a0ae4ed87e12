import { useMutation } from '@tanstack/react-query'
import { Download, Printer } from 'lucide-react'
import { useState } from 'react'
import { createPortal } from 'react-dom'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { DialogForm } from '#dashboard/web/ui/dialog-form.tsx'
import { Field, Input } from '#dashboard/web/ui/field.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { saveText } from '#dashboard/web/ui/save-text.ts'
import { answerOf } from './key-pair.ts'
import { KIT_FILE, privateKeyIn } from './kit-file.ts'
import type { KitSteps } from './new-kit.tsx'

interface SavedKitProps extends KitSteps {
  /** The text of the kit. */
  text: string
  challenge: string
}

/** Why the chosen file proves nothing. */
class NotTheKit extends Error {}

/** Saves the kit, then reads the saved file and answers the challenge with it. */
export function SavedKit({ text, challenge, confirm, onClose }: SavedKitProps) {
  const [isSaved, setIsSaved] = useState(false)
  const [file, setFile] = useState<File>()
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async (chosen: File) => confirm(await answerWith(await chosen.text(), challenge)),
  })
  const refused = error instanceof NotTheKit ? error.message : refusalsIn(error).answer
  const download = () => {
    saveText(KIT_FILE, text)
    setIsSaved(true)
  }
  return (
    <DialogForm
      action="Confirm recovery kit"
      onSubmit={() => file && mutate(file)}
      onCancel={onClose}
      isBlocked={!file}
      isBusy={isPending}
      error={refused === undefined ? error : null}
    >
      <Notice kind="warn" title="The kit is shown only now">
        Nobody can create this key again. Keep it offline, in two safe places: whoever has it and
        the storage can read every backup.
      </Notice>
      <div className="flex flex-wrap gap-2">
        <Button kind={isSaved ? 'plain' : 'primary'} icon={<Download />} onClick={download}>
          Download kit
        </Button>
        <Button icon={<Printer />} onClick={() => window.print()}>
          Print kit
        </Button>
      </div>
      {isSaved && (
        <Field
          label="Saved kit"
          name="file"
          hint={`Choose the file ${KIT_FILE} where you saved it. It is read here, and not uploaded.`}
          error={refused}
        >
          <Input
            type="file"
            accept=".txt,text/plain"
            onChange={({ target }) => {
              reset()
              setFile(target.files?.[0])
            }}
          />
        </Field>
      )}
      {createPortal(<pre className="print-only">{text}</pre>, document.body)}
    </DialogForm>
  )
}

async function answerWith(text: string, challenge: string): Promise<string> {
  const key = privateKeyIn(text)
  if (key === undefined) throw new NotTheKit('The file has no private key. Choose the saved kit.')
  return answerOf(key, challenge).catch(() => {
    throw new NotTheKit('The file is another kit. Choose the one that you have just saved.')
  })
}
