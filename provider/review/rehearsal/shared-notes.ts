import type { Note, NoteSharing } from "../../core/note";

/** Carries notes among the providers of one rehearsal, as files do among the processes of a run. */
export class SharedNotes {
  private readonly notes: { by: NoteSharing; note: Note }[] = [];

  /** The part of one provider. */
  ofProvider(): NoteSharing {
    const { notes } = this;
    let seen = 0;
    const sharing: NoteSharing = {
      digest: (text) => text,
      share: (note) => void notes.push({ by: sharing, note }),
      news: () => {
        if (seen === notes.length) return [];
        const news = notes.slice(seen).filter(({ by }) => by !== sharing);
        seen = notes.length;
        return news.map(({ note }) => note);
      },
    };
    return sharing;
  }
}
