-- What a run marked by is never rewritten (design 3.12). Deleting a draft's question takes its versions with it.
create trigger append_only before update on rubric_versions for each row execute function refuse_change();
