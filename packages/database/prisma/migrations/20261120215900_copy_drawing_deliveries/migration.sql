-- A request that is fulfilled leaves no row, and the next one for the same copy may come a second later: deliveries are
-- numbered across all of them, so that a lane never takes a new message for an old one.
create sequence copy_drawing_deliveries as integer;
